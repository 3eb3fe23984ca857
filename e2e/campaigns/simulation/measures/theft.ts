import { findTheft, STOCK_CLIENTS, theftOf } from '../world/buyers.ts'
import type { ProbeTimes } from '../world/probeTimes.ts'
import type { Serve } from '../world/simulatedSeller.ts'
import type { Host } from '../world/types.ts'
import type { Sample } from './sample.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Mean gap between the buyers of a host. */
const GAP_HOURS = 0.5

/** Hours in which a host asked ordinary buyers for their money by the terms of a thief. */
export type Theft = {
  /** Under any verdict. */
  readonly shown: number
  /** Under a Safe verdict. */
  readonly safe: number
  /** Under a Safe verdict whose signed terms hold the terms of the thief, so that a guard pays. */
  readonly payable: number
}

/** Buyers that come to the hosts at random times with stock clients. */
export type Buyers = {
  /** Lets buyers come to a host until a moment. @param standing the verdicts since its last probe, by endpoint */
  comeUntil(host: Host, since: number, standing: ReadonlyMap<string, Sample>): Promise<void>
  theftAt(host: Host): Theft
}

/** Theft of a host that stole nothing. */
export const NO_THEFT: Theft = { shown: 0, safe: 0, payable: 0 }

/**
 * Creates the buyers. Each stands for the mean gap between two.
 * @param random 0 to 1, of no other use, so that buyers change nothing about the crawl
 */
export function createBuyers(serve: Serve, probed: ProbeTimes, random: () => number): Buyers {
  const next = new Map<string, number>()
  const thefts = new Map<string, Theft>()
  const drawGap = () => -Math.log(1 - random()) * GAP_HOURS * HOUR

  async function come(host: Host, since: number, standing: ReadonlyMap<string, Sample>) {
    const headers = STOCK_CLIENTS[Math.floor(random() * STOCK_CLIENTS.length)] ?? {}
    const path = host.paths?.[0] ?? '/api'
    const method = host.onlyPost === true ? 'POST' : 'GET'
    const body = method === 'POST' ? '{}' : null
    const sinceProbe = probed.since(host.host, since)
    const answer = await serve(host, { path, method, headers, body, region: 'home', since, sinceProbe })
    const stolen = answer === null ? [] : findTheft(host, since, answer)
    if (stolen.length === 0) return
    const sample = standing.get(`https://${host.host}${path}`)
    const isSafe = sample?.verdict === 'safe' && sample.expiresOnDay * DAY > since
    const isPayable =
      isSafe &&
      stolen.some(({ network, asset, payTo, amountAtomic }) =>
        sample.terms.some(
          (term) =>
            term.network === network &&
            isSame(term.asset, asset) &&
            isSame(term.payTo, payTo) &&
            amountAtomic <= BigInt(term.amountAtomicMax),
        ),
      )
    const { shown, safe, payable } = thefts.get(host.host) ?? NO_THEFT
    thefts.set(host.host, {
      shown: shown + GAP_HOURS,
      safe: safe + (isSafe ? GAP_HOURS : 0),
      payable: payable + (isPayable ? GAP_HOURS : 0),
    })
  }

  return {
    async comeUntil(host, since, standing) {
      if (theftOf(host).length === 0) return
      let at = next.get(host.host) ?? drawGap()
      for (; at < since; at += drawGap()) await come(host, at, standing)
      next.set(host.host, at)
    },
    theftAt: ({ host }) => thefts.get(host) ?? NO_THEFT,
  }
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
