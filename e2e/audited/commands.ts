import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, readState, readSummary, type Store } from '@touchstone402/server/testing'
import type { Verdict } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyData, useService } from '../support/economy.ts'
import { openDatabase } from '../support/openDatabase.ts'
import { runServerCommand } from '../support/runServerCommand.ts'

/** Sellers with different kinds of stored facts. */
const SELLERS = ['honest-v2', 'swapped', 'announced', 'opted-out']

let folder: string
let dataDir: string
/** Hosts in the data folder, by seller. */
const hosts = new Map<string, string>()
const verdicts = new Map<string, Verdict>()

beforeAll(async () => {
  const audited = await useService()
  folder = await mkdtemp(join(tmpdir(), 'touchstone-commands-'))
  dataDir = join(folder, 'data')
  for (const id of SELLERS) {
    const { host, url } = audited.economy.sellers[id] ?? { host: '', url: '' }
    hosts.set(id, host)
    const response = await fetch(`${audited.service.url}/verify?endpoint=${encodeURIComponent(url)}`)
    verdicts.set(id, (await response.json()) as Verdict)
  }
  await copyData(audited, dataDir)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the command line. */
const run = (...words: string[]) => runWith({}, ...words)

const runWith = (settings: Readonly<Record<string, string>>, ...words: string[]) =>
  runServerCommand(words, { DATA_DIR: dataDir, ...settings })
const hostOf = (id: string) => hosts.get(id) ?? ''

/** Makes every verdict of a swapped host safe. */
async function manipulate(store: Store): Promise<void> {
  const { endpoints = [] } = (await readSummary(store, hostOf('swapped'))) ?? {}
  if (endpoints.length === 0) throw new Error('nothing is stored')
  for (const { endpoint } of endpoints) {
    const known = await readState(store, endpoint)
    if (known === undefined) throw new Error(`nothing is stored of ${endpoint}`)
    await store.write('putEndpoint', { ...known.state, verdict: 'safe' })
  }
}

test.each(SELLERS)('default: recompute reproduces the verdict of %s from stored facts', async (id) => {
  const { code, output } = await run('recompute', hostOf(id))
  expect(output).toContain(`${hostOf(id)}: 1 of 1 equal`)
  const { verdict, score } = verdicts.get(id) ?? {}
  if (verdict !== 'unknown')
    expect(output).toContain(`: ${verdict}${score === undefined ? '' : ` ${score}`}, by score`)
  expect(code).toBe(0)
})

test('behavior: recompute reproduces a verdict from a database', { timeout: 300_000 }, async () => {
  const databaseUrl = await openDatabase()
  const settings = { DATABASE_URL: databaseUrl }
  const copied = await runWith(settings, 'copy')
  expect(copied.output).toMatch(/^Copied .*: [1-9]\d* endpoint, /)
  const same = await runWith(settings, 'recompute', hostOf('swapped'))
  expect([same.code, same.output]).toEqual([0, expect.stringContaining(': avoid ')])
  expect(same.output).toContain(`${hostOf('swapped')}: 1 of 1 equal`)
  const missing = await runWith(settings, 'recompute', 'nobody.example')
  expect([missing.code, missing.errors]).toEqual([
    2,
    expect.stringContaining('nothing is stored of nobody.example'),
  ])

  // A manipulated document is not reproduced.
  const store = await openStore({ databaseUrl, dataDir })
  await manipulate(store)
  await store.close()
  const altered = await runWith(settings, 'recompute', hostOf('swapped'))
  expect([altered.code, altered.output]).toEqual([1, expect.stringContaining('  verdict: stored "safe"')])
})

test('behavior: recompute reports a manipulated verdict', async () => {
  const store = await openStore({ databaseUrl: null, dataDir })
  try {
    await manipulate(store)
  } finally {
    await store.close()
  }
  const { code, output } = await run('recompute', hostOf('swapped'))
  expect(code).toBe(1)
  expect(output).toContain('not equal: ')
  expect(output).toContain('  verdict: stored "safe", recomputed "avoid"')
})

test('behavior: rotate-keys replaces the signing key and keeps the former one published', async () => {
  const read = async () => JSON.parse(await readFile(join(dataDir, 'signing-keys.json'), 'utf8'))
  const before = await read()
  const { code, output } = await run('rotate-keys')
  const after = await read()
  expect(code).toBe(0)
  expect(after.current.kid).not.toBe(before.current.kid)
  expect(after.former.map(({ publicJwk }: { publicJwk: { kid: string } }) => publicJwk.kid)).toEqual([
    before.current.kid,
  ])
  expect(output).toContain(after.current.kid)
})

test.each([
  { words: ['recompute', 'https://x.example/'], code: 1, says: 'HOST must be one host' },
  { words: ['recompute', 'nobody.example'], code: 2, says: 'nothing is stored of nobody.example' },
  { words: ['rotate-keys', 'now'], code: 1, says: 'rotate-keys takes no words; got 1' },
  { words: ['audit'], code: 1, says: 'Unknown command "audit"' },
])('error: $words', async ({ words, code, says }) => {
  const result = await run(...words)
  expect([result.code, result.output]).toEqual([code, ''])
  expect(result.errors).toContain(`touchstone-server: ${says}`)
})
