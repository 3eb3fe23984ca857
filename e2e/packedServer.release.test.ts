import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../scripts/docs/shellLines.ts'
import { runLine } from '../scripts/docs/startLine.ts'
import { npmSettings } from './docs/npmSettings.ts'
import { openInstall } from './docs/openInstall.ts'
import type { Install } from './docs/packAndInstall.ts'
import { startBuiltServer } from './support/builtServer.ts'
import { ALONE } from './support/settings.ts'

const NAMES = ['crash-test', 'guard', 'server', 'shared', 'transfers', 'transparency']

let install: Install
/** Folder of this file, in which the installed packages are found. */
let folder: string

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
  install = await openInstall()
  folder = await mkdtemp(join(install.folder, 'server-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const installedFolder = (name: string) => join(install.folder, 'node_modules/@touchstone402', name)
const installed = (name: string, ...words: string[]) =>
  run(join(install.folder, 'node_modules/.bin', name), words)

test('default: the documented lines pack and install all packages', () => {
  expect(Object.keys(install.archives).sort()).toEqual(NAMES)
  expect(install.left).toEqual([])
})

test('default: npm run pack prints a line that installs all packages', async () => {
  const { printed, registry, cache } = install
  // It names its folder from where it was printed.
  const env = { ...npmSettings({ registry, cache }), HOME: folder }
  const { code, output } = await runLine(`${printed} --dry-run`, { cwd: ROOT, env })
  expect([code, printed.match(/\.\/\S+\.tgz/g)?.length], output).toEqual([0, NAMES.length])
})

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
    const { code, stdout } = await installed(name, '--version')
    expect([name, code, stdout]).toEqual([name, 0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  }
  for (const [line, says] of [
    ['@touchstone402/guard policy explain', /^Pays at most/m],
    ['@touchstone402/crash-test --help', /^npx @touchstone402\/crash-test/m],
  ] as const)
    expect(await run('npx', line.split(' '), { npm_config_registry: 'http://127.0.0.1:9' })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(says),
    })
  const { code, stdout } = await installed('touchstone-server', 'doctor')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^fail settings: PUBLIC_URL is missing/m)
  expect(stdout).toMatch(/^fail settings: DIRECTORIES is missing: such as "bazaar=https:\/\/…/m)
})

test('error: the documented commands name missing settings', async () => {
  expect(install.commands).toHaveLength(2)
  for (const line of install.commands) {
    const { code, output } = await runLine(line, { cwd: install.folder, env: { HOME: folder } })
    expect([line, code, output]).toEqual([line, 1, expect.stringContaining('PUBLIC_URL is missing')])
  }
})

test('behavior: plain Node imports every export', async () => {
  const paths: string[] = []
  for (const name of NAMES) {
    const { exports } = JSON.parse(await readFile(join(installedFolder(name), 'package.json'), 'utf8'))
    // Entries of the guard with optional peers are those of `packedGuard.release.test.ts`.
    const entries = name === 'guard' ? ['.'] : Object.keys(exports).filter((path) => !path.endsWith('.json'))
    paths.push(...entries.map((path) => `@touchstone402/${name}${path.slice(1)}`))
  }
  expect(paths.length).toBeGreaterThan(NAMES.length)
  const script = `for (const path of ${JSON.stringify(paths)}) if (Object.keys(await import(path)).length === 0) throw path`
  expect(await run(process.execPath, ['--input-type=module', '--eval', script])).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})

test('behavior: a program compiles against the types of shared, transfers and transparency', async () => {
  const source = [
    `import { canonicalizeUrl, usdToAtomic } from '@touchstone402/shared'`,
    `import { createTransferSource, type TransferSource } from '@touchstone402/transfers'`,
    ...[
      ...['shared/addresses', 'shared/leaves', 'shared/map', 'shared/map-write'],
      ...['transparency', 'transparency/publisher', 'transparency/witness'],
    ].map((path, index) => `export * as entry${index} from '@touchstone402/${path}'`),
    `export * as parts from '@touchstone402/transfers/parts'`,
    `export * as errors from '@touchstone402/transfers/errors'`,
    `export const amount: bigint = usdToAtomic('0.01')`,
    `export const key: string = canonicalizeUrl('https://a.example').key`,
    'export const source: TransferSource = createTransferSource({ chainId: 1, urls: [], now: Date.now })',
    '// @ts-expect-error: an amount is a bigint',
    `export const wrong: string = usdToAtomic('0.01')`,
  ]
  const cwd = join(folder, 'types')
  await mkdir(join(cwd, 'node_modules/@types'), { recursive: true })
  await writeFile(join(cwd, 'consumer.ts'), source.join('\n'))
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    lib: ['es2023', 'dom', 'dom.iterable'],
  }
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  await symlink(await realpath(join(ROOT, 'node_modules/@types/node')), join(cwd, 'node_modules/@types/node'))
  const { code, stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', cwd])
  expect([code, stdout]).toEqual([0, ''])
})

test('behavior: the packed server serves its pages, with its style and its reference', async () => {
  const settings = { ...ALONE, DATA_DIR: join(folder, 'data') }
  const { url } = await startBuiltServer(
    [],
    settings,
    join(installedFolder('server'), 'bin/touchstone-server.js'),
  )
  for (const path of ['/readyz', '/', '/docs/reference', '/openapi.json'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
})
