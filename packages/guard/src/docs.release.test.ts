import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { COMMANDS } from './node/cli/run.ts'
import { freeNames, listProblems, readOptions } from './testing/compileModules.ts'
import { exported, program, toModule } from './testing/exportedExamples.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/integrations.md')
const sections = page.split(/^## /m).slice(1)
const starts = sections.flatMap((section) => {
  if (!/^npx tsx /m.test(section)) return []
  const [title = ''] = section.split('\n')
  const [, install = ''] = /^npm install (.+)$/m.exec(section) ?? []
  const code = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  return code.map((text) => ({ title, code: text, packages: install.split(' ') }))
})

const at = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))

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

const README = 'packages/guard/README.md'
const PAGES = [
  'README.md',
  README,
  ...['integrations', 'policy', 'recipes', 'refusals', 'ledger', 'commands', 'tokens', 'verdicts'].map(
    (name) => `docs/${name}.md`,
  ),
]
const fragments = PAGES.flatMap((path) => {
  const blocks = [...read(path).matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, text = ''], index) => ({ name: `${path.replaceAll(/\W/g, '-')}-${index}`, text }))
})

// Values that fragments use without declaring them.
const GIVEN: Readonly<Record<string, string>> = {
  account: "import('viem').LocalAccount",
  body: 'string',
  check: "ReturnType<typeof import('@touchstone402/guard/log').createLogCheck>",
  client: "import('@x402/fetch').x402Client",
  confirm: '(question: string) => boolean',
  guard: "import('@touchstone402/guard').Guard",
  headers: 'Headers',
  pay: "import('@touchstone402/guard/fetch').GuardedFetch",
  paymentId: 'string',
  publicClient: "import('viem').PublicClient",
  rpcUrls: 'Record<string, string>',
  smartAccount: "import('viem').LocalAccount",
  status: 'number',
  url: 'string',
}
const IMPORTS = new Map(
  fragments.flatMap(({ text }) =>
    [...text.matchAll(/^import \{ (.+) \} from ('.+')/gm)].flatMap(([, names = '', from = '']) =>
      names.split(', ').map((name) => [name, from] as const),
    ),
  ),
)

/** Completes a fragment with what it uses: what any page imports, and the given values. */
function complete(text: string): string {
  const free = [...freeNames(text)]
  const own = new Set(text.match(/(?<=^import \{ ).+(?= \} from)/gm)?.flatMap((names) => names.split(', ')))
  return [
    ...free.flatMap((name) =>
      IMPORTS.has(name) && !own.has(name) ? [`import { ${name} } from ${IMPORTS.get(name)}`] : [],
    ),
    ...free.flatMap((name) =>
      GIVEN[name] !== undefined && !IMPORTS.has(name) ? [`declare const ${name}: ${GIVEN[name]}`] : [],
    ),
    text,
    'export {}',
  ].join('\n')
}

test('behavior: every export has an example', () => {
  expect(exported.filter(({ example }) => !example).map(({ name }) => name)).toEqual([])
})

// One program for all, since each loads the types of every library.
test('default: every example, quick start and program of a page compiles, and every fragment with what it leaves out', () => {
  expect(starts.map(({ title }) => title)).toEqual([
    'Plain fetch',
    'axios',
    'Vercel AI SDK',
    'LangChain',
    'MCP',
  ])
  const modules = new Map(starts.map(({ title, code }) => [at(title.replaceAll(/\W+/g, '-')), code]))
  for (const { name, text } of fragments) modules.set(at(name), complete(text))
  for (const [index, item] of exported.entries())
    modules.set(at(`${item.name}.${index}.example`), toModule(item))
  expect(modules.size).toBeGreaterThan(20 + exported.length)
  const [, testing = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(read('docs/testing.md')) ?? []
  modules.set(at('testing'), testing)
  // Fields that do not exist show that the check bites.
  modules.set(at('broken-testing'), testing.replace('seller.payments', 'seller.payment'))
  modules.set(
    at('broken'),
    `import { createGuard } from '@touchstone402/guard'\ncreateGuard({ polices: {} })\n`,
  )
  const problems = listProblems(modules, readOptions(), program)
  expect(problems.filter((line) => !line.startsWith('broken'))).toEqual([])
  expect(problems.map((line) => line.split(':')[0])).toEqual(['broken-testing.ts', 'broken.ts'])
})

test('behavior: the README lists every command', () => {
  const [, table = ''] = /\| command \| does \|\n\|[-|]+\n((?:\|.*\n)*)/.exec(read(README)) ?? []
  const columns = table.split('\n').map((row) => row.split(' | ')[0] ?? '')
  const named = columns.flatMap((column) =>
    [...column.matchAll(/`([a-z ]+?)(?: <url>)?`/g)].map(([, name]) => name),
  )
  expect(named).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)))
})
