import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../scripts/docs/shellLines.ts'
import { startRegistry } from './docs/localRegistry.ts'
import { runLine } from './docs/startLine.ts'
import { takeLines } from './docs/takeLines.ts'
import { startBuiltServer } from './support/builtServer.ts'
import type { LocalServer } from './support/serve.ts'
import { ALONE } from './support/settings.ts'

const { take, left } = takeLines('packedServer')
const NAMES = ['crash-test', 'guard', 'server', 'shared', 'transfers']

let folder: string
let registry: LocalServer
/** The line that `npm run pack` prints to install what it packed. */
let printed = ''

async function run(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = folder,
) {
  const given = { PATH: process.env.PATH, HOME: folder, ...env }
  return promisify(execFile)(file, args, { cwd, env: given }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-packed-'))
  registry = await startRegistry(join(ROOT, 'packages/guard'))
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  for (const line of take(/^npm run pack /)) {
    const { output } = await runLine(line.replace('../my-agent', folder))
    expect(output.match(/^\/.+\.tgz$/gm), output).toHaveLength(NAMES.length)
    printed = /^cd .+ && npm install .+$/m.exec(output)?.[0] ?? ''
  }
  const env = {
    HOME: folder,
    npm_config_registry: registry.url,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  // The printed line names its folder from where it was printed.
  const all = await runLine(`${printed} --dry-run`, { cwd: ROOT, env })
  expect([all.code, printed.match(/\.\/\S+\.tgz/g)?.length], all.output).toEqual([0, NAMES.length])
  for (const line of take(/^npm install /)) {
    const { code, output } = await runLine(line, { cwd: folder, env })
    expect(code, output).toBe(0)
  }
  expect(left()).toEqual([])
}, 120_000)
afterAll(async () => {
  await registry?.stop()
  await rm(folder, { recursive: true, force: true })
})

const installedFolder = (name: string) => join(folder, 'node_modules/@touchstone402', name)
const npx = (...words: string[]) => run('npx', ['--no-install', ...words])

test.each(NAMES)(
  'default: %s holds what is needed, a README and a licence, and no tests or sources',
  async (name) => {
    const files = await readdir(installedFolder(name), { recursive: true })
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json', 'dist/index.js']))
    expect(files.filter((file) => /\.test\.|\.testing\.|^src|^dist\/testing|\/testing\//.test(file))).toEqual(
      name === 'guard' ? ['dist/testing.d.ts', 'dist/testing.js'] : [],
    )
    const { exports } = JSON.parse(await readFile(join(installedFolder(name), 'package.json'), 'utf8'))
    expect(JSON.stringify(exports)).not.toContain('./src/')
  },
)

test('default: npx runs the commands, and asks no registry', async () => {
  for (const name of ['touchstone-server', 'touchstone', 'crash-test']) {
    const { code, stdout } = await npx(name, '--version')
    expect([name, code, stdout]).toEqual([name, 0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  }
  for (const [line, says] of [
    ['@touchstone402/guard policy explain', /^Pays at most/m],
    ['@touchstone402/crash-test --help', /^npx @touchstone402\/crash-test/m],
  ] as const)
    expect(await run('npx', line.split(' '), { npm_config_registry: 'http://127.0.0.1:9' })).toMatchObject({
      ...{ code: 0, stdout: expect.stringMatching(says) },
    })
  const { code, stdout } = await npx('touchstone-server', 'doctor')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^fail settings: PUBLIC_URL is missing/m)
  expect(stdout).toMatch(/^fail settings: DIRECTORIES is missing: such as "bazaar=https:\/\/…/m)
})

test('behavior: plain Node imports every export', async () => {
  for (const name of NAMES) {
    const { exports } = JSON.parse(await readFile(join(installedFolder(name), 'package.json'), 'utf8'))
    // Entries of the guard with optional peers are those of `packedGuard.test.ts`.
    const entries = name === 'guard' ? ['.'] : Object.keys(exports).filter((path) => !path.endsWith('.json'))
    const paths = entries.map((path) => `@touchstone402/${name}${path.slice(1)}`)
    const script = `for (const path of ${JSON.stringify(paths)}) if (Object.keys(await import(path)).length === 0) throw path`
    expect(await run(process.execPath, ['--input-type=module', '--eval', script])).toEqual({
      ...{ code: 0, stdout: '', stderr: '' },
    })
  }
})

test('behavior: a program compiles against the types of shared and transfers', async () => {
  const source = [
    `import { canonicalizeUrl, usdToAtomic } from '@touchstone402/shared'`,
    `import { createTransferSource, type TransferSource } from '@touchstone402/transfers'`,
    ...['shared/addresses', 'shared/log', 'shared/map', 'shared/map-write', 'shared/notes'].map(
      (path, index) => `export * as entry${index} from '@touchstone402/${path}'`,
    ),
    `export * as parts from '@touchstone402/transfers/parts'`,
    `export const amount: bigint = usdToAtomic('0.01')`,
    `export const key: string = canonicalizeUrl('https://a.example').key`,
    'export const source: TransferSource = createTransferSource({ chainId: 1, urls: [] })',
    '// @ts-expect-error: an amount is a bigint',
    `export const wrong: string = usdToAtomic('0.01')`,
  ]
  await writeFile(join(folder, 'consumer.ts'), source.join('\n'))
  const compilerOptions = {
    ...{
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
    },
    lib: ['es2023', 'dom', 'dom.iterable'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
  await symlink(
    await realpath(join(ROOT, 'node_modules/@types/node')),
    join(folder, 'node_modules/@types/node'),
  )
  const { code, stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder])
  expect([code, stdout]).toEqual([0, ''])
})

test('behavior: the packed server serves its pages, with its style and its reference', async () => {
  const settings = { ...ALONE, DATA_DIR: join(folder, 'data') }
  const { url } = await startBuiltServer(
    [],
    settings,
    join(installedFolder('server'), 'bin/touchstone-server.js'),
  )
  for (const path of ['/readyz', '/', '/docs/reference', '/assets/redoc.js', '/openapi.json'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
})
