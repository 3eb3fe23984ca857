import { createHash } from 'node:crypto'
import { aState, createAnsweredStore, type EndpointState, type Store } from '@touchstone402/server/testing'
import type { Term } from '@touchstone402/shared'

/** A store of generated verdicts, whose endpoints are probed in turn. */
export type GeneratedStore = Store & {
  urlOf(index: number): string
  /** Probes as many endpoints as an ordinary crawl does within a time, and notifies the followers. */
  crawl(ms: number): void
}

const PER_HOST = 50
/** Distinct receivers per endpoint: 87 in 391 listings of the field. */
const RECEIVERS = 87 / 391
const PRICES = ['1000', '10000', '5000', '2000', '100000', '50000', '20000', '500', '100', '250000']
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** An endpoint is probed every three hours. */
const PROBE_EVERY_MS = 3 * 3_600_000

const lot = (text: string) => createHash('sha256').update(text).digest()

/**
 * Creates a store of so many endpoints. Of their probes a tenth change the score, one in 200 the terms, and one in
 * 1,000 finds the endpoint dark. States are decoded from JSON at each read, as a store on disk does.
 */
export function createGeneratedStore(entries: number, now: () => number): GeneratedStore {
  const probes = new Map<number, number>()
  const startedAt = now()
  let onChange: Parameters<Store['watch']>[0] = () => {}
  let next = 0
  const hostOf = (index: number) => `seller-${Math.floor(index / PER_HOST)}.example`
  const urlOf = (index: number) => `https://${hostOf(index)}/v1/goods/${index}`

  const termOf = (index: number, seed: Buffer, probe: number): Term => {
    const receiver =
      Math.floor(index * RECEIVERS) +
      (probe > 0 && seed.readUInt16BE(4) % 200 === probe % 200 ? 1_000_000 : 0)
    const odd = seed.readUInt8(6) < 13
    const amount = odd
      ? String(1000 + (seed.readUInt32BE(7) % 90_000))
      : (PRICES[seed.readUInt8(11) % PRICES.length] ?? '1000')
    return {
      x402Version: 2,
      scheme: 'exact',
      network: 'eip155:8453',
      asset: USDC,
      method: seed.readUInt8(12) < 60 ? 'POST' : 'GET',
      payTo: `0x${lot(`receiver ${receiver}`).subarray(0, 20).toString('hex')}`,
      amountAtomicMin: amount,
      amountAtomicMax: amount,
    }
  }
  const stateOf = (index: number): EndpointState => {
    const probe = probes.get(index) ?? 0
    const seed = lot(`endpoint ${index}`)
    // The first probes were spread over the lifetime of a verdict, as those of a service that has run for long.
    const firstAt = startedAt - (seed.readUInt32BE(0) % PROBE_EVERY_MS)
    const at = probe === 0 ? firstAt : (probedAt.get(index) ?? startedAt)
    const change = lot(`probe ${index} ${probe}`).readUInt16BE(0)
    const state = aState({
      endpoint: urlOf(index),
      derivedAt: at,
      score: 60 + (seed.readUInt8(13) % 40) - (change % 10 === 0 ? 1 : 0),
      terms: [termOf(index, seed, probe)],
      ...(change % 1000 === 0 && { status: 'dark' as const }),
    })
    return state
  }
  const probedAt = new Map<number, number>()
  /** Documents of the last probes, as they stand on disk. */
  const texts = new Map<number, string>()

  const summaryOf = (host: string) => {
    const first = PER_HOST * Number(/\d+/.exec(host)?.[0])
    const count = Math.min(PER_HOST, entries - first)
    // Of a summary only the names are read.
    return Array.from({ length: count }, (_, place) => ({
      host,
      json: JSON.stringify({ endpoint: urlOf(first + place) }),
      updated_at: now(),
    }))
  }
  const hostsAfter = (after: string | undefined, limit: number) => {
    const first = after === undefined ? 0 : PER_HOST * (1 + Number(/\d+/.exec(after)?.[0]))
    const count = Math.min(limit, Math.ceil((entries - first) / PER_HOST))
    return Array.from({ length: Math.max(0, count) }, (_, place) => ({
      name: hostOf(first + PER_HOST * place),
    }))
  }
  const store = createAnsweredStore(({ sql, parameters }) => {
    if (sql.includes('"row_json" as "json"')) return summaryOf(`${parameters[0]}`)
    if (sql.startsWith('select "state_json"')) {
      const index = Number(`${parameters[2]}`.split('/').at(-1))
      return [{ state_json: texts.get(index) ?? JSON.stringify(stateOf(index)), place: null }]
    }
    if (!sql.startsWith('select "name" from "host" where "rank"')) return []
    const after = parameters.find((one) => typeof one === 'string')
    return hostsAfter(after as string | undefined, Number(parameters.at(-2)))
  })

  return {
    ...store,
    urlOf,
    async watch(listener) {
      onChange = listener
      return async () => {}
    },
    crawl(ms) {
      for (let left = Math.round((entries * ms) / PROBE_EVERY_MS); left > 0; left--) {
        const index = next++ % entries
        probes.set(index, (probes.get(index) ?? 0) + 1)
        probedAt.set(index, now())
        texts.set(index, JSON.stringify(stateOf(index)))
        onChange({ host: hostOf(index), endpoint: urlOf(index), hasNews: false })
      }
    },
  }
}
