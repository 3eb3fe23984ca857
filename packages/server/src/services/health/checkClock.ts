import { groupBy } from '../../facts/groupBy.ts'
import { HOUR, MINUTE } from '../../facts/times.ts'
import type { Store } from '../../ports/store.ts'
import type { RpcState } from './checkChain.ts'
import type { Check, Finding } from './createHealth.ts'

type ClockCheckDeps = {
  readonly store: Pick<Store, 'judgedAfter'>
  /** Puts endpoints of a host at the front of the queue, and wakes the crawl. */
  readonly probeFirst: (host: string, endpoints: readonly string[]) => Promise<void>
  /** The audit's clock. */
  readonly now: () => number
  /** Real Unix time in ms. */
  readonly realNow: () => number
  readonly rpcs: () => readonly RpcState[]
}

const EVERY_MS = 30_000
/** Clocks of processes that share a database differ by less. */
const SKEW_MS = MINUTE
/** A host may retry a chain that stands still; blocks of one that goes on are younger. */
const OLD_BLOCK_MS = 5 * MINUTE
const MOST_AT_ONCE = 1000

/**
 * Finds records from the future, which a clock left that was ahead, and makes their endpoints due: their verdicts count as
 * fresh and no probe is due until that time comes. Compares the clock with the newest block of the chain.
 */
export function checkClock({ store, probeFirst, now, realNow, rpcs }: ClockCheckDeps): Check {
  let fromFuture = 0
  let aheadMs = Number.NaN
  /** Newest block of the run before. */
  let before = Number.NaN

  const probeAgain = async () => {
    const ahead = await store.judgedAfter(now() + SKEW_MS, now() + HOUR, MOST_AT_ONCE)
    fromFuture = ahead.count
    for (const [host, own] of groupBy(ahead.notDue, (one) => one.host))
      await probeFirst(
        host,
        own.map(({ endpoint }) => endpoint),
      )
  }
  const compare = (): Finding | null => {
    const newest = Math.max(...rpcs().flatMap(({ head }) => (head === null ? [] : [head.atMs])))
    if (!Number.isFinite(newest)) return null
    const isMoving = newest > before
    before = newest
    aheadMs = realNow() - newest
    const bad = (status: string, sentence: string): Finding => ({ level: 'degraded', status, sentence })
    if (aheadMs < -SKEW_MS)
      return bad('behind the chain', `it is ${Math.round(-aheadMs / 1000)} s behind the newest block`)
    // A chain that stands still looks the same at first.
    if (aheadMs > OLD_BLOCK_MS && isMoving)
      return bad('ahead of the chain', `it is ${Math.round(aheadMs / 1000)} s ahead of the newest block`)
    return null
  }
  return {
    name: 'clock',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'degraded', status: 'unknown' },
    async run() {
      await probeAgain()
      if (fromFuture > 0)
        return {
          level: 'degraded',
          status: 'records from the future',
          sentence: `${fromFuture} verdicts are from the future, so the clock was ahead: their endpoints are probed again now`,
        }
      return compare() ?? { level: 'ok', status: 'ok' }
    },
    addGauges({ gauge }) {
      gauge(
        'clock_future_records',
        'Verdicts from the future, which a clock left that was ahead.',
        () => fromFuture,
      )
      gauge(
        'clock_ahead_of_chain_seconds',
        'Time from the newest block to the clock; negative if the clock is behind.',
        () => aheadMs / 1000,
      )
    },
  }
}
