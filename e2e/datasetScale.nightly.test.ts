import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Economy } from '@touchstone402/economy'
import { openStore } from '@touchstone402/server/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { hostName, putHosts } from './support/manyHosts.ts'
import { type ServerProcess, startServiceProcess } from './support/servers.ts'
import { economySettings } from './support/settings.ts'
import { signFor } from './support/sign.ts'

const HOSTS = 50_000
const WARM_UP = 4000
/** Maximum additional memory for a sale of the whole dataset. */
const EXTRA_BYTES = 100e6
/** Maximum latency of a verdict during the sale: absolute, or as a share of the sale on a busy machine. */
const VERIFY_MS = 500
const VERIFY_SHARE = 0.25

let economy: Economy
let dataDir: string
let service: ServerProcess

beforeAll(async () => {
  economy = await startEconomy({ sellers: [], clock: 'real' })
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-scale-'))
  const store = await openStore({ databaseUrl: null, dataDir })
  await putHosts(store, { hosts: HOSTS, now: Date.now() })
  await store.close()
  const list = join(dataDir, 'urls.txt')
  await writeFile(list, '')
  // Small, so that what is measured is the sale, not a cache that fills.
  const caches = { ANSWER_CACHE_MB: '8' }
  const settings = { ...economySettings(economy), ...caches, DIRECTORIES: `file=${list}`, DATA_DIR: dataDir }
  service = await startServiceProcess(settings, { isWatched: true })
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true })
})

/** Requests verdicts sequentially until the signal aborts. Returns the slowest latency. */
async function askVerdicts(
  origin: string,
  until: AbortSignal,
): Promise<{ asked: number; slowestMs: number }> {
  let asked = 0
  let slowestMs = 0
  while (!until.aborted) {
    const endpoint = encodeURIComponent(`https://${hostName((asked * 7919) % HOSTS)}/v1/resource/0`)
    const startedAt = performance.now()
    const response = await fetch(`${origin}/verify?endpoint=${endpoint}`)
    expect(await response.json()).toMatchObject({ known: true, verdict: 'safe' })
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    asked++
    await wait(5)
  }
  return { asked, slowestMs }
}

/** Requests many verdicts, eight at a time. */
async function warmUp(origin: string): Promise<void> {
  let asked = 0
  const ask = async () => {
    while (asked < WARM_UP) {
      const endpoint = encodeURIComponent(`https://${hostName(asked++ % HOSTS)}/v1/resource/0`)
      await (await fetch(`${origin}/verify?endpoint=${endpoint}`)).arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
}

/** Hashes a response body without buffering it. */
async function digest(response: Response): Promise<{ bytes: number; hash: string; tail: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  let tail = ''
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    hash.update(read.value)
    bytes += read.value.length
    tail = Buffer.from(read.value.subarray(-2)).toString()
  }
  return { bytes, hash: hash.digest('hex'), tail }
}

test('default: sells 50,000 services from disk in bounded memory while it serves verdicts', async () => {
  const { origin } = service
  const [bot] = economy.wallets.bots
  if (bot === undefined) throw new Error('the economy has no bot')
  const url = `${origin}/trust/dataset?limit=50000`
  // The service's heap and the store's cache grow to their usual sizes first.
  await warmUp(origin)
  const { headers } = await signFor(url, bot, 2)
  const before = await service.measure({ isStart: true })

  const ending = new AbortController()
  const verdicts = askVerdicts(origin, ending.signal)
  const startedAt = performance.now()
  const first = await fetch(url, { headers })
  const madeMs = performance.now() - startedAt
  expect(first.status).toBe(200)
  const bought = await digest(first)
  ending.abort()
  const { asked, slowestMs } = await verdicts
  const during = await service.measure()

  const again = await fetch(url, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await digest(again)).toEqual(bought)
  expect(bought.tail).toBe(']}')
  expect(first.headers.get('content-length')).toBe(String(bought.bytes))
  expect(bought.bytes).toBeGreaterThan(50e6)

  const extraBytes = during.peakBytes - before.ownBytes
  process.stderr.write(
    `${Math.round(bought.bytes / 1e6)} MB in ${Math.round(madeMs)} ms; ${Math.round(extraBytes / 1e6)} MB on top of ` +
      `${Math.round(before.ownBytes / 1e6)}; ${asked} verdicts, the slowest in ${Math.round(slowestMs)} ms; ` +
      `event loop at most ${Math.round(during.stalls.maxMs)} ms\n`,
  )
  expect(extraBytes).toBeLessThan(EXTRA_BYTES)
  expect(slowestMs).toBeLessThan(Math.max(VERIFY_MS, VERIFY_SHARE * madeMs))
  expect(asked).toBeGreaterThan(10)
})
