import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { LeagueResult } from '@touchstone402/crash-test'
import { walletAt } from '@touchstone402/economy'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { openInstall } from './docs/openInstall.ts'
import { takeLines } from './docs/takeLines.ts'
import { type SigningService, startSigningService, termOf } from './support/signingService.ts'

checksNoAnswers('the packed guard alone, with a service of the test')

const ENDPOINT = 'https://api.example.com/weather'
let folder: string
let service: SigningService

/** Runs a program in a folder with only the packed guard. */
async function run(file: string, args: readonly string[], cwd = folder) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOUCHSTONE_URL: service.url }
  return promisify(execFile)(file, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}
const packageFolder = (name: string) => fileURLToPath(new URL(`../packages/${name}/`, import.meta.url))

/** Runs the command that npm has linked. */
const touchstone = (...words: string[]) => run(join(folder, 'node_modules/.bin/touchstone'), words)

beforeAll(async () => {
  service = await startSigningService()
  const terms = [termOf(walletAt(150).address, '10000')]
  service.decisions.set(ENDPOINT, {
    verdict: 'safe',
    score: 95,
    receiverStability: 'stable',
    probes: 9,
    terms,
  })
  folder = await mkdtemp(join(tmpdir(), 'touchstone-packed-'))
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  // Offline, since the package must have no dependencies to install.
  const { archives } = await openInstall()
  const own = [archives.guard ?? '', archives['crash-test'] ?? '']
  const installed = await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...own])
  if (installed.code !== 0) throw new Error(installed.stderr)
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the packed guard', () => {
  test('default: installs no other packages', async () => {
    const names = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
    expect(names).toEqual(['@touchstone402'])
    expect(await readdir(join(folder, 'node_modules/@touchstone402'))).toEqual(['crash-test', 'guard'])
  })

  test('default: npx runs its commands with help and exit codes', async () => {
    const help = await run('npx', ['--no-install', 'touchstone', 'check', '--help'])
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('npx @touchstone402/guard check <url>'),
    })
    const safe = await touchstone('check', ENDPOINT)
    expect(safe).toMatchObject({ code: 0, stdout: expect.stringContaining('Safe to pay, score 95') })
    expect(safe.stdout).toContain('up to $0.01 in USDC')
    expect((await touchstone('check', `${ENDPOINT}/other`, '--json')).code).toBe(3)
    const explained = await touchstone('policy', 'explain')
    expect(explained).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Pays at most $1.00 per payment'),
    })
  })

  test('error: pay names the missing peer packages', async () => {
    const { code, stderr } = await touchstone('pay', ENDPOINT)
    expect(code).toBe(64)
    expect(stderr).toContain('Paying needs viem, @x402/fetch and @x402/evm; install them')
  })

  test('behavior: a program imports it and checks signed verdicts', async () => {
    const script = `
      import { createGuard } from '@touchstone402/guard'
      import { createFileLedger } from '@touchstone402/guard/ledger'
      const ledger = await createFileLedger('spending.jsonl')
      const state = await createGuard({ ledger }).verdict('${ENDPOINT}')
      await ledger.close()
      console.log(state.verdict.verdict)`
    expect(await run(process.execPath, ['--input-type=module', '--eval', script])).toEqual({
      code: 0,
      stdout: 'safe\n',
      stderr: '',
    })
  })
})

describe('the packed crash test', () => {
  /** Prints the names of its own variables, then those of the proxy, which has the same parent. */
  const TELLTALE = `
import os
def names(pid): return sorted(one.split('=')[0] for one in open(f'/proc/{pid}/environ').read().split('\\0') if one)
print(names('self'))
siblings = open(f'/proc/{os.getppid()}/task/{os.getppid()}/children').read().split()
print(names(next(pid for pid in siblings if int(pid) != os.getpid())))
`

  test('default: an empty folder is enough to see who is drained, and that the guard holds', async () => {
    const only = ['lying_facilitator']
    const options = only.flatMap((name) => ['--only', name])
    const [line = ''] = takeLines('packedGuard').take(/^npx @touchstone402\/crash-test$/)
    const [npx = '', ...words] = line.split(' ')
    const child = spawn(npx, [...words, '--json', ...options], { cwd: folder })
    const [first] = await once(child.stderr.setEncoding('utf8'), 'data')
    expect(first).toMatch(/^Sends 11 paying clients to 1 hostile seller/)
    let json = ''
    for await (const text of child.stdout.setEncoding('utf8')) json += text
    const { clients, guardedLostUsd } = JSON.parse(json)
    const rows = clients.map(({ guarded, notRun, drained }: LeagueResult) => [guarded, notRun, drained])
    expect(rows).toEqual([
      ...[1, 1, 1, 1].map((drained) => [false, null, drained]),
      ...Array.from({ length: 7 }, () => [true, null, 0]),
    ])
    expect(guardedLostUsd).toBe('0')
  })

  test('behavior: the agent behind the proxy has a token and no key, and neither has more of the environment', async () => {
    const agent = join(folder, 'telltale.py')
    await writeFile(agent, TELLTALE)
    const proxied = join(folder, 'node_modules/@touchstone402/crash-test/dist/clients/proxied.js')
    const env = { PATH: process.env.PATH, HOME: folder, SECRET: 's', NODE_OPTIONS: '--trace-warnings' }
    const given = {
      TARGET_URL: 'http://127.0.0.1:9/',
      BUDGET_USD: '1.00',
      PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    }
    const isKnown = (name: string) => name in options.env || name.startsWith('PROXY_')
    const options = { cwd: folder, env: { ...env, ...given } }
    const { stdout } = await promisify(execFile)(process.execPath, [proxied, agent], options)
    // Shims of python3 add variables of their own.
    const [ofAgent, ofProxy] = stdout.split('\n').map((line) => (line.match(/\w+/g) ?? []).filter(isKnown))
    expect(ofAgent).toEqual(['PATH', 'PROXY_TOKEN', 'PROXY_URL', 'TARGET_URL'])
    expect(ofProxy).toEqual(['HOME', 'PATH', 'PRIVATE_KEY'])
  })
})

/** Entries whose types name those of an optional peer. */
const PEERS: Readonly<Record<string, string>> = {
  './mcp': '@modelcontextprotocol/sdk',
  './langchain': '@langchain/core',
  './testing': 'viem',
}

/** Type-checks a program against packed types, which are checked as well. Returns one line per problem. */
async function listTypeProblems(cwd: string, lines: readonly string[]): Promise<string[]> {
  const file = join(await realpath(cwd), 'consumer.ts')
  await writeFile(file, lines.join('\n'))
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  })
  // Types of other packages are theirs to check.
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName === file || fileName.includes('/@touchstone402/'))
  return own
    .flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ])
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    )
}

/** Lists the entries of the guard that have types. */
async function listEntries(): Promise<string[]> {
  const { default: manifest } = await import('../packages/guard/package.json', { with: { type: 'json' } })
  return Object.entries(manifest.exports).flatMap(([path, entry]) =>
    typeof entry === 'object' && 'types' in entry ? [path] : [],
  )
}

const importAll = (paths: readonly string[]) =>
  paths.map((path, index) => `export * as entry${index} from '@touchstone402/guard${path.slice(1)}'`)

describe('the packed types', () => {
  test('default: a program compiles against them where nothing else is installed', async () => {
    const entries = (await listEntries()).filter((path) => PEERS[path] === undefined)
    expect(entries.length).toBeGreaterThan(10)
    const problems = await listTypeProblems(folder, [
      ...importAll(entries),
      `import { createGuard, type Decision } from '@touchstone402/guard'`,
      `import { createTouchstoneClient } from '@touchstone402/guard/client'`,
      `import type { LogEntry } from '@touchstone402/guard/log'`,
      `const guard = createGuard({ service: { url: '${ENDPOINT}' } })`,
      `export const client = createTouchstoneClient({ url: '${ENDPOINT}' })`,
      'export const leafOf = ({ leaf }: LogEntry): Uint8Array => leaf',
      'export type Kind = Decision',
      '// @ts-expect-error: a name instead of a URL',
      'await guard.verdict(1)',
      '// @ts-expect-error: no such operation',
      'await client.noSuchOperation()',
      '// @ts-expect-error: a leaf is bytes',
      'export const textOf = ({ leaf }: LogEntry): string => leaf',
    ])
    expect(problems).toEqual([])
  })

  test('behavior: the crash test and the entries with peers need their declared packages only', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'touchstone-packed-types-'))
    onTestFinished(() => rm(cwd, { recursive: true, force: true }))
    await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}')
    // Copied, since a link would lead to the folder without peers.
    for (const name of ['guard', 'crash-test'])
      await cp(
        join(folder, 'node_modules/@touchstone402', name),
        join(cwd, 'node_modules/@touchstone402', name),
        {
          recursive: true,
        },
      )
    for (const name of Object.values(PEERS)) {
      const link = join(cwd, 'node_modules', name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(await realpath(join(packageFolder('guard'), 'node_modules', name)), link)
    }
    const problems = await listTypeProblems(cwd, [
      ...importAll(Object.keys(PEERS)),
      `import { runCrashTest } from '@touchstone402/crash-test'`,
      `import { createCheckEndpointTool } from '@touchstone402/guard/langchain'`,
      `import { createMcpServer } from '@touchstone402/guard/mcp'`,
      '// @ts-expect-error: options are an object',
      'await runCrashTest(1)',
      '// @ts-expect-error: a tool has a name',
      'export const nameOf = (tool: ReturnType<typeof createCheckEndpointTool>): number => tool.name',
      '// @ts-expect-error: a server has no such method',
      'export const start = (server: ReturnType<typeof createMcpServer>) => server.noSuchMethod()',
    ])
    expect(problems).toEqual([])
  })
})
