import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  clockAt,
  countIds,
  createMemoryStore,
  createReceiverProfiler,
  QUIET,
} from '@touchstone402/server/testing'
import { createTransferSource, profileReceiver } from '@touchstone402/transfers'
import { createHistory, receiverOf } from './history.ts'
import { startProvider, type Volume } from './provider.ts'

export const numbers = ['endpoints', 'receivers', 'range']

const BASE = 'eip155:8453'
const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
/** Interval between the probes of an endpoint. */
const PROBE_EVERY_MS = 3 * HOUR
/** Interval at which the service asks for the newest block, for its health. */
const HEALTH_EVERY_MS = 15 * SECOND
/** Most calls of a receiver that was never paid and is seen first, and those of an endpoint a day without the health check. */
const MAX_FIRST = 20
const MAX_DAY = 12
const HEALTH = DAY / HEALTH_EVERY_MS
const ORACLE = `0x${'5a'.repeat(20)}`
/** Receivers by how they are paid, in turns. */
const KINDS = ['neverPaid', 'paid', 'established'] as const

/**
 * Counts what a crawl asks of the RPC: HTTP requests, and JSON-RPC calls, which providers bill.
 *
 * The chain is synthetic and moves with a clock. `first` are receivers that no endpoint has named before, for one and
 * for two RPC URLs; `day` is a day of the given endpoints, all known, with the health check. In public listings of 2026,
 * 391 endpoints named 79 receivers on Base, hence five endpoints for each receiver.
 */
export async function run({
  short,
  numbers: given,
}: {
  short: boolean
  numbers: ReadonlyMap<string, number>
}) {
  const endpoints = given.get('endpoints') ?? (short ? 100 : 1000)
  const receivers = given.get('receivers') ?? Math.ceil(endpoints / 5)
  const maxBlocks = given.get('range') ?? Number.POSITIVE_INFINITY
  const one = await measure({ urls: 1, endpoints, receivers, maxBlocks, takesBatches: true })
  const two = await measure({ urls: 2, endpoints: 0, receivers, maxBlocks, takesBatches: true })
  const single = await measure({ urls: 1, endpoints: 0, receivers, maxBlocks, takesBatches: false })
  const figures = {
    endpoints,
    receivers,
    first: one.first,
    firstOfTwoUrls: two.first,
    firstWithoutBatches: single.first,
    day: { requests: one.day.requests, calls: one.day.calls },
  }
  const isUsual = maxBlocks === Number.POSITIVE_INFINITY && given.get('receivers') === undefined
  const isFew =
    (one.first.neverPaid?.calls ?? 0) <= MAX_FIRST && one.day.calls <= MAX_DAY * endpoints + HEALTH
  return { ok: !isUsual || isFew, figures }
}

type Setting = {
  readonly urls: number
  readonly endpoints: number
  readonly receivers: number
  readonly maxBlocks: number
  readonly takesBatches: boolean
}

async function measure({ urls, endpoints, receivers, maxBlocks, takesBatches }: Setting) {
  let now = Date.now()
  const clock = clockAt(() => now)
  // The last receiver warms up what a process reads once.
  const history = createHistory(receivers + 1, clock.now)
  const options = { history, maxBlocks, takesBatches }
  const providers = await Promise.all(Array.from({ length: urls }, () => startProvider(options)))
  const cacheFolder = await mkdtemp(join(tmpdir(), 'rpc-bench-'))
  const source = createTransferSource({
    chainId: 8453,
    urls: providers.map(({ url }) => url),
    cacheFolder,
    now: clock.now,
  })
  const profiler = createReceiverProfiler({
    ...QUIET,
    chain: {
      heads: source.heads,
      profile: async (query) => profileReceiver(await source.receiver(query)),
    },
    config: { sanctionsOracle: ORACLE },
    ownAccounts: null,
    store: createMemoryStore(),
    clock,
    ids: countIds(),
    log(_, message) {
      throw new Error(message)
    },
  })
  try {
    await profiler.refresh(BASE, receiverOf(receivers))
    add(providers.map((provider) => provider.take()))
    const seen = KINDS.map((): Volume[] => [])
    for (let n = 0; n < receivers; n++) {
      now += 20 * SECOND
      await profiler.refresh(BASE, receiverOf(n))
      seen[n % KINDS.length]?.push(add(providers.map((provider) => provider.take())))
    }
    const first = Object.fromEntries(KINDS.map((kind, i) => [kind, meanOf(seen[i] ?? [])]))
    print(`first of ${urls} URL(s)`, add(seen.flat()))
    const end = now + DAY
    const due = Array.from(
      { length: endpoints },
      (_, n) => now + Math.floor((PROBE_EVERY_MS * n) / endpoints),
    )
    while (now < end && endpoints > 0) {
      now += HEALTH_EVERY_MS
      await source.rpcs[0]?.call('eth_getBlockByNumber', ['latest', false])
      for (const [n, at] of due.entries()) {
        if (at > now) continue
        due[n] = at + PROBE_EVERY_MS
        await profiler.refresh(BASE, receiverOf(n % receivers))
      }
    }
    const day = add(providers.map((provider) => provider.take()))
    if (endpoints > 0) print('day', day)
    return { first, day }
  } finally {
    await source.close()
    for (const provider of providers) await provider.stop()
    await rm(cacheFolder, { recursive: true })
  }
}

function add(volumes: readonly Volume[]): Volume {
  const byMethod: Record<string, number> = {}
  for (const volume of volumes)
    for (const [method, count] of Object.entries(volume.byMethod))
      byMethod[method] = (byMethod[method] ?? 0) + count
  const sum = (read: (volume: Volume) => number) => volumes.reduce((total, volume) => total + read(volume), 0)
  return { requests: sum(({ requests }) => requests), calls: sum(({ calls }) => calls), byMethod }
}

/** Returns the requests and calls for one receiver. */
function meanOf(volumes: readonly Volume[]) {
  const { requests, calls } = add(volumes)
  const mean = (total: number) => Number((total / volumes.length).toFixed(1))
  return { requests: mean(requests), calls: mean(calls) }
}

const print = (what: string, volume: Volume) => process.stderr.write(`${what} ${JSON.stringify(volume)}\n`)
