import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listProblems, readOptions } from './testing/compileModules.ts'

const page = readFileSync(new URL('../../../docs/quickstarts.md', import.meta.url), 'utf8')
const sections = page.split(/^## /m).slice(1)
const blocks = sections.flatMap((section) => {
  const [title = ''] = section.split('\n')
  return [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => ({ title, code }))
})

const at = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))

test('default: every quick start is a module that compiles', () => {
  const modules = new Map(blocks.map(({ title, code }) => [at(title.replaceAll(/\W+/g, '-')), code]))
  expect(blocks.map(({ title }) => title)).toEqual([
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

test('behavior: the MCP configuration is JSON that starts the same server as the code', () => {
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? []
  const { command, args } = JSON.parse(json).mcpServers.touchstone
  const code = blocks.at(-1)?.code ?? ''
  expect(code).toContain(`command: '${command}'`)
  expect(code).toContain(`args: [${args.map((word: string) => `'${word}'`).join(', ')}]`)
})
