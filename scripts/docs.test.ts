import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'packages/guard/README.md',
  'examples/economy/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const { scripts } = readJson('package.json') as { scripts: Record<string, string> }
const guard = readJson('packages/guard/package.json') as { name: string; peerDependencies: object }
const FOLDER_SCRIPTS = new Set(
  PAGES.map((page) => page.replace(/[^/]+$/, 'package.json'))
    .filter((manifest) => existsSync(join(root, manifest)))
    .flatMap((manifest) => Object.keys(readJson(manifest).scripts ?? {})),
)
const lines = PAGES.flatMap((page) =>
  shellLines(readFileSync(join(root, page), 'utf8')).map((line) => ({ page, line })),
)

/** Shell lines of a page: fenced as `sh`, indented as code, or inline. Comments and settings before a command are left out. */
function shellLines(text: string): string[] {
  const fenced = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    (block ?? '').split('\n'),
  )
  const indented = [...text.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line ?? '')
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '')
  return [...fenced, ...indented, ...inline]
    .map((line) =>
      line
        .replace(/\s+#.*$/, '')
        .replace(/^([A-Z_]+=\S+\s+)+(?=\w)/, '')
        .trim(),
    )
    .filter((line) => /^(npm|npx|node|pnpm) \S/.test(line))
}

/** What is wrong with one shell line; nothing where all that it names is there. */
function checkLine(line: string): string[] {
  const [program, first = '', ...rest] = line.split(/\s+/)
  if (program === 'npm' && first === 'install') {
    const known = [guard.name, ...Object.keys(guard.peerDependencies)]
    return rest.filter((name) => !known.includes(name)).map((name) => `${name} is neither ours nor a peer`)
  }
  if (program === 'npm') {
    const [script = '', separator, name = '<name>'] = first === 'run' ? rest : [first, ...rest]
    if (!Object.hasOwn(scripts, script)) return [`there is no script ${script}`]
    const home = { campaign: 'e2e/campaigns', bench: 'bench' }[script]
    if (home === undefined || separator !== '--' || name.startsWith('<')) return []
    const isThere = [`${home}/${name}.ts`, `${home}/${name}/index.ts`].some((path) =>
      existsSync(join(root, path)),
    )
    return isThere ? [] : [`there is no ${script} ${name}`]
  }
  // The package manager itself comes by name, and runs a script of some folder.
  if (program === 'npx' && first === 'pnpm')
    return FOLDER_SCRIPTS.has(rest[1] ?? '') ? [] : [`there is no script ${rest[1]}`]
  const isOurs = program === 'npx' && first === guard.name
  const isInstalled = existsSync(join(root, 'node_modules/.bin', first))
  const unknown = program === 'npx' && !isOurs && !isInstalled ? [`${first} is not installed`] : []
  const files = line
    .split(/\s+/)
    .filter((word) => /^(packages|examples|e2e|bench|docs|scripts)\/[\w./-]+$/.test(word))
  return [
    ...unknown,
    ...files.filter((path) => !existsSync(join(root, path))).map((path) => `there is no ${path}`),
  ]
}

/** Runs a program with nothing but these settings. */
async function execute(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const paths = { PATH: process.env.PATH, HOME: process.env.HOME }
  return promisify(execFile)(file, args, { cwd: root, env: { ...paths, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  )
}
const fromSource = (file: string, ...args: string[]) =>
  execute(process.execPath, ['--conditions=source', '--import', 'tsx', file, ...args])

describe('shell lines of the pages', () => {
  test('behavior: there are some, of every kind', () => {
    const kinds = new Set(lines.map(({ line }) => line.split(' ').slice(0, 2).join(' ')))
    for (const kind of ['npm run', 'npm test', 'npm install', 'npx vitest', `npx ${guard.name}`])
      expect(kinds).toContain(kind)
  })

  test.each(lines.map(({ page, line }) => [page, line] as const))('default: %s: %s', (_, line) => {
    expect(checkLine(line)).toEqual([])
  })

  test('error: what is not there is found', () => {
    const wrong = ['npm run nothing', 'npm nothing', 'npm run campaign -- nothing', 'npm install left-pad']
    for (const line of [
      ...wrong,
      'npx nothing',
      'npx vitest run packages/nothing.test.ts',
      'node scripts/nothing.mjs',
    ])
      expect(checkLine(line), line).toHaveLength(1)
  })
})

describe('what is cheap is run', () => {
  test('the command line knows every command that the pages show', async () => {
    const { code, output } = await fromSource('packages/guard/src/node/cli/main.ts', '--help')
    expect(code).toBe(0)
    const commands = lines.flatMap(
      ({ line }) => new RegExp(`^npx ${guard.name} (\\w+)`).exec(line)?.[1] ?? [],
    )
    expect(commands.length).toBeGreaterThan(3)
    for (const command of commands) expect(output).toMatch(new RegExp(`\\b${command}\\b`))
  })

  test('an empty environment stops the service, and the pages set all that it misses', async () => {
    const { code, output } = await fromSource('packages/server/src/main.ts')
    expect(code).toBe(1)
    const missing = [...output.matchAll(/^touchstone-server: (\w+) is missing/gm)].map(([, name]) => name)
    const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    const set = [...operations.matchAll(/^ {4}export (\w+)=/gm)].map(([, name]) => name)
    expect(missing.length).toBeGreaterThan(0)
    expect(set).toEqual(expect.arrayContaining(missing))
  })

  test.each(['bench', 'campaign'])('npm run %s without a name says which there are', async (script) => {
    const { code, output } = await execute('npm', ['run', script])
    expect(code).toBe(2)
    expect(output).toContain(`usage: npm run ${script}`)
  })
})
