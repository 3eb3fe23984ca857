import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { IConfiguration, ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** A file with one statement, and the rule it breaks. */
type Case = readonly [rule: string, path: string, content: string]

const root = fileURLToPath(new URL('../../', import.meta.url))
const { default: config }: { default: IConfiguration } = await import(
  pathToFileURL(join(root, '.dependency-cruiser.mjs')).href
)

const guard = (room: string) => `packages/guard/src/${room}`
const transparency = (room: string) => `packages/transparency/src/${room}`
const server = (room: string) => `packages/server/src/${room}`

const IMPORTS: Case[] = [
  ['no-circle', server('http/probe.ts'), "export * from './probe.ts'"],
  ['transparency-is-lowest', transparency('tree/probe.ts'), "export * from '@touchstone402/shared'"],
  ['transparency-is-lowest', transparency('probe.ts'), "export type * from '../../shared/src/index.ts'"],
  ['transparency-is-lowest', transparency('probe.ts'), "export * from '@touchstone402/server'"],
  ['transparency-is-lowest', transparency('probe.ts'), "export * from 'zod'"],
  ['transparency-runs-anywhere', transparency('notes/probe.ts'), "export * from 'node:crypto'"],
  ['transparency-runs-anywhere', transparency('publisher/probe.ts'), "export * from 'node:timers/promises'"],
  ['transparency-verifies-alone', transparency('tree/probe.ts'), "export * from '../publisher/storage.ts'"],
  ['transparency-verifies-alone', transparency('probe.ts'), "export type * from './witness/index.ts'"],
  ['transparency-publisher', transparency('publisher/probe.ts'), "export * from '../witness/index.ts'"],
  ['transparency-witness', transparency('witness/probe.ts'), "export * from '../publisher/index.ts'"],
  ['shared-is-ground', 'packages/shared/src/probe.ts', "export * from 'viem'"],
  ['shared-is-ground', 'packages/shared/src/probe.ts', "export * from '@touchstone402/guard'"],
  ['shared-is-ground', 'packages/shared/src/probe.ts', "export * from '@touchstone402/transfers'"],
  ['shared-runs-anywhere', 'packages/shared/src/probe.ts', "export * from 'node:fs'"],
  ['transfers-stands-alone', 'packages/transfers/src/logs/probe.ts', "export * from 'zod'"],
  ['transfers-stands-alone', 'packages/transfers/src/probe.ts', "export * from '../../server/src/index.ts'"],
  ['transfers-stands-alone', 'packages/transfers/src/probe.ts', "export * from '@touchstone402/guard'"],
  ['guard-stands-alone', guard('probe.ts'), "export * from 'express'"],
  ['guard-stands-alone', guard('probe.ts'), "export * from '@touchstone402/server'"],
  ['crash-test-stands-alone', 'packages/crash-test/src/probe.ts', "export * from '@touchstone402/guard'"],
  ['crash-test-stands-alone', 'packages/crash-test/src/cli/probe.ts', "export * from 'zod'"],
  ['guard-runs-anywhere', guard('integrations/probe.ts'), "export * from 'node:fs'"],
  ['guard-decide', guard('decide/probe.ts'), "export * from '../ledger/ledger.ts'"],
  ['guard-ledger', guard('ledger/probe.ts'), "export * from '../paying/approve.ts'"],
  ['guard-paying', guard('paying/probe.ts'), "export type * from '../verdicts/verdictClient.ts'"],
  ['guard-verdicts', guard('verdicts/probe.ts'), "export * from '../integrations/hooks.ts'"],
  ['guard-optional-rooms', guard('paying/probe.ts'), "export * from '../wallets/createWalletVerifier.ts'"],
  ['guard-optional-rooms', guard('integrations/probe.ts'), "export * from '../upto/createUpto.ts'"],
  ['guard-map', guard('map/probe.ts'), "export * from '../integrations/hooks.ts'"],
  ['guard-integrations', guard('integrations/probe.ts'), "export * from '../node/fileLedger.ts'"],
  ['judging-is-pure', server('judge/probe.ts'), "export type * from '../store/facts.ts'"],
  ['judging-is-pure', server('judge/probe.ts'), "export * from '../http/problems.ts'"],
  ['judging-is-pure', server('judge/probe.ts'), "export * from 'viem'"],
  ['judging-is-pure', server('judge/probe.ts'), "export type * from '@touchstone402/transfers'"],
  ['judging-runs-anywhere', server('publish/probe.ts'), "export * from 'node:fs'"],
  ['facts-hold-no-judgement', server('facts/probe.ts'), "export type * from '../judge/score.ts'"],
  ['judgement-before-publishing', server('judge/probe.ts'), "export * from '../publish/verdict.ts'"],
  ['adapters-are-types', server('audit/probe.ts'), "export * from '../probe/createProber.ts'"],
  ['adapters-are-types', server('http/answers/probe.ts'), "export * from '../../payments/createPaywall.ts'"],
  ['adapters-are-types', server('mcp/probe.ts'), "export * from '../directories/toRow.ts'"],
  ['answers-do-not-crawl', server('site/probe.ts'), "export type * from '../crawl/createCrawler.ts'"],
  ['audit-below-crawl', server('crawl/probe.ts'), "export * from '../http/problems.ts'"],
  ['audit-is-one-probe', server('audit/probe.ts'), "export * from '../crawl/report.ts'"],
  ['owners-without-pages', server('owners/probe.ts'), "export * from '../site/createPages.ts'"],
  ['checks-without-pages', server('checks/probe.ts'), "export * from '../site/createPages.ts'"],
  ['http-without-pages', server('http/probe.ts'), "export * from '../site/createPages.ts'"],
  ['mcp-stands-alone', server('mcp/probe.ts'), "export * from '../http/problems.ts'"],
  ['tokens-without-pages', server('tokens/probe.ts'), "export * from '../site/createPages.ts'"],
  ['shop-stands-alone', server('shop/probe.ts'), "export * from '../mcp/ports.ts'"],
  ['store-stands-alone', server('store/probe.ts'), "export * from '../site/hostName.ts'"],
  ['store-stands-alone', server('store/probe.ts'), "export type * from '../log/logState.ts'"],
  ['store-stands-alone', server('store/probe.ts'), "export * from '../judge/spec.ts'"],
  ['store-stands-alone', server('store/probe.ts'), "export * from '../publish/verdict.ts'"],
  ['store-stands-alone', server('store/probe.ts'), "export type * from '../map/model/toMapEntry.ts'"],
  ['tables-not-engines', server('http/probe.ts'), "export * from '../store/postgres.ts'"],
  ['tables-not-engines', server('audit/probe.ts'), "export type * from '../store/sqlite.ts'"],
  ['adapter-probe', server('probe/probe.ts'), "export * from '../http/problems.ts'"],
  ['chain-in-its-thread', server('services/probe.ts'), "export * from '@touchstone402/transfers'"],
  ['chain-in-its-thread', server('audit/probe.ts'), "void import('@touchstone402/transfers')"],
  ['services-are-the-top', server('crawl/probe.ts'), "export * from '../services/scope.ts'"],
  ['services-are-the-top', server('http/probe.ts'), "export * from '../services.ts'"],
  ['services-are-the-top', server('probe.ts'), "export * from './services.ts'"],
  ['commands-are-for-main', server('services/probe.ts'), "export * from '../commands/commandLine.ts'"],
  ['public-exports-only', 'e2e/probe.ts', "export * from '../packages/server/src/judge/score.ts'"],
  [
    'public-exports-only',
    'examples/quickstart/src/probe.ts',
    "export * from '../../../packages/guard/src/index.ts'",
  ],
]

for (const { name = '' } of config.forbidden ?? []) {
  const [, adapter, alone] = /^adapter-(\w+)(-alone)?$/.exec(name) ?? []
  if (adapter === undefined) continue
  const other =
    alone === undefined ? 'crawl/report.ts' : adapter === 'keys' ? 'probe/answer.ts' : 'keys/lostKeys.ts'
  IMPORTS.push([name, server(`${adapter}/probe.ts`), `export * from '../${other}'`])
}

const ALLOWED_IMPORTS: readonly Case[] = [
  ['', 'packages/shared/src/probe.ts', "export * from 'zod/mini'"],
  ['', transparency('witness/probe.ts'), "export * from 'node:http'"],
  ['', transparency('publisher/probe.ts'), "export * from '../tree/tree.ts'"],
  ['', 'packages/shared/src/map/probe.ts', "export * from '@touchstone402/transparency'"],
  ['', guard('integrations/probe.ts'), "export * from '../decide/policy.ts'"],
  ['', guard('node/probe.ts'), "export * from 'node:fs'"],
  ['', guard('integrations/probe.test.ts'), "export * from 'node:fs'"],
  ['', server('http/probe.ts'), "export * from '../store/facts.ts'"],
  ['', server('audit/probe.ts'), "export type * from '../probe/prober.ts'"],
  ['', server('payments/probe.ts'), "export type * from '../keys/signer.ts'"],
  ['', server('services/probe.ts'), "export * from '../store/sqlite.ts'"],
  ['', server('chain/probe.ts'), "export * from '@touchstone402/transfers'"],
  ['', server('audit/probe.ts'), "export * from '@touchstone402/transfers/errors'"],
  ['', server('commands/probe.ts'), "export * from '../services.ts'"],
  ['', 'e2e/probe.ts', "export * from '@touchstone402/server/testing'"],
]

const STATEMENTS: readonly Case[] = [
  ['noRestrictedGlobals', server('judge/probe.ts'), 'export const probe = () => fetch("http://localhost")'],
  ['noRestrictedGlobals', server('judge/probe.ts'), 'export const probe = () => process.env'],
  ['plugin', server('judge/probe.ts'), 'export const probe = () => Date.now()'],
  ['plugin', server('judge/probe.ts'), 'export const probe = () => new Date()'],
  ['plugin', server('judge/probe.ts'), 'export const probe = () => Math.random()'],
  ['plugin', server('judge/probe.ts'), "export const probe = (it: object) => Reflect.get(it, '_part')"],
  ['plugin', server('http/probe.ts'), "export const probe = (it: object) => Reflect.get(it, '_part')"],
  ['plugin', server('http/probe.ts'), 'export const probe = (it: object) => Object.setPrototypeOf(it, null)'],
  [
    'plugin',
    server('http/probe.ts'),
    'export const probe = (it: { destroy: () => void }) => { it.destroy = () => {} }',
  ],
  ['plugin', guard('decide/probe.ts'), 'export const probe = { ...{ first: 1, second: 2 } }'],
  ['plugin', guard('decide/probe.ts'), 'export const probe = { zero: 0, ...{ first: 1 }, last: 9 }'],
  ['plugin', server('judge/probe.ts'), 'export const probe = { zero: 0, ...{ first: 1 } }'],
  [
    'plugin',
    guard('integrations/probe.ts'),
    'export const probe = (it: object) => Map.prototype.clear.call(it)',
  ],
]

const ALLOWED_STATEMENTS: readonly Case[] = [
  ['', server('judge/probe.ts'), 'export const probe = (now: number) => new Date(now)'],
  ['', server('http/probe.ts'), "export const probe = (it: object) => Reflect.get(it, 'part')"],
  ['', guard('decide/probe.ts'), 'export const probe = (more: object) => ({ first: 1, ...more })'],
  ['', guard('decide/probe.ts'), 'export const probe = (on: boolean) => ({ ...(on && { first: 1 }) })'],
]

/** Writes each case to a separate file. */
const place = (cases: readonly Case[], name: string): Case[] =>
  cases.map(([rule, path, content], index) => [
    rule,
    join(dirname(path), `${name}${index}${path.endsWith('.test.ts') ? '.test' : ''}.ts`),
    content.replace('./probe.ts', `./${name}${index}Other.ts`),
  ])

const forbidden = place(IMPORTS, 'forbidden')
const allowed = place(ALLOWED_IMPORTS, 'allowed')
const refused = place(STATEMENTS, 'refused')
const accepted = place(ALLOWED_STATEMENTS, 'accepted')

let folder = ''
/** Rules that each file broke. */
const broken = new Map<string, string[]>()
const note = (path: string, rule: string) => broken.set(path, [...(broken.get(path) ?? []), rule])

/** Writes a file of a case, and an empty one where its import leads. */
async function write([, path, content]: Case): Promise<void> {
  const files = [[path, `${content}\n`]]
  const [, target] = /'(\.[^']+)'/.exec(content) ?? []
  if (target !== undefined) {
    const other = normalize(join(dirname(path), target))
    files.push([
      other,
      target.includes('Other') ? `export * from './${path.split('/').at(-1)}'\n` : 'export {}\n',
    ])
  }
  for (const [name = '', text = ''] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Runs a checker in the folder and parses what it prints. */
function run(program: string, args: readonly string[]) {
  const { stdout, error } = spawnSync(join(root, 'node_modules/.bin', program), args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (error !== undefined) throw error
  return JSON.parse(stdout)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'floors-'))
  const {
    vcs: _vcs,
    $schema: _schema,
    ...biome
  } = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'))
  await writeFile(join(folder, 'biome.json'), JSON.stringify(biome))
  for (const name of ['.dependency-cruiser.mjs', 'tsconfig.json', 'tsconfig.base.json', 'scripts/lint']) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const one of [...forbidden, ...allowed, ...refused, ...accepted]) await write(one)

  const cruised: ICruiseResult = run('depcruise', [
    'packages',
    'examples',
    'e2e',
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'json',
  ])
  for (const { from, rule } of cruised.summary.violations) note(from, rule.name)

  const linted: { diagnostics: { category: string; location: { path: string } }[] } = run('biome', [
    'lint',
    '--reporter=json',
    '--max-diagnostics=none',
    'packages',
  ])
  for (const { category, location } of linted.diagnostics) {
    note(location.path, category.split('/').at(-1) ?? category)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('floors', () => {
  it.each(forbidden)('error: %s refuses %s: %s', (rule, path) => {
    expect(broken.get(path)).toContain(rule)
  })

  it.each(refused)('error: %s refuses %s: %s', (rule, path) => {
    expect(broken.get(path)).toContain(rule)
  })

  it.each([...allowed, ...accepted])('default: %s allows %s: %s', (_rule, path) => {
    expect(broken.get(path) ?? []).toEqual([])
  })

  it('behavior: every rule about imports has a case', () => {
    const names = new Set(config.forbidden?.map(({ name }) => name))
    expect(new Set(IMPORTS.map(([rule]) => rule))).toEqual(names)
  })
})
