import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listProblems, readOptions } from './testing/compileModules.ts'

const page = readFileSync(new URL('../../../docs/quickstarts.md', import.meta.url), 'utf8')
const sections = page.split(/^## /m).slice(1)
const starts = sections.flatMap((section) => {
  const [title = ''] = section.split('\n')
  const [, install = ''] = /^npm install (.+)$/m.exec(section) ?? []
  const code = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  return code.map((text) => ({ title, code: text, packages: install.split(' ') }))
})

const at = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))

test('default: every quick start is a module that compiles', () => {
  const modules = new Map(starts.map(({ title, code }) => [at(title.replaceAll(/\W+/g, '-')), code]))
  expect(starts.map(({ title }) => title)).toEqual([
    'Plain fetch',
    'axios',
    'Vercel AI SDK',
    'LangChain',
    'MCP',
  ])
  // A field that does not exist shows that the check bites.
  modules.set(
    at('broken'),
    `import { createGuard } from '@touchstone402/guard'\ncreateGuard({ polices: {} })\n`,
  )
  const problems = listProblems(modules, readOptions())
  expect(problems.filter((line) => !line.startsWith('broken.ts'))).toEqual([])
  expect(problems).toHaveLength(1)
})

test('behavior: every quick start installs the packages that it imports', () => {
  for (const { title, code, packages } of starts) {
    const imported = [...code.matchAll(/from '((?:@[^/']+\/)?[^/']+)/g)].map(([, name]) => name)
    expect([title, packages]).toEqual([title, expect.arrayContaining([...imported, 'tsx'])])
  }
})

test('behavior: the MCP configuration is JSON that fetches the packages of the code, and starts the same server', () => {
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? []
  const { command, args } = JSON.parse(json).mcpServers.touchstone
  const { code = '', packages = [] } = starts.at(-1) ?? {}
  const fetched = packages.filter((name) => name !== 'tsx').flatMap((name) => ['-p', name])
  expect([command, args]).toEqual(['npx', ['-y', ...fetched, 'touchstone', 'mcp']])
  expect(code).toContain("command: 'npx', args: ['touchstone', 'mcp']")
})
