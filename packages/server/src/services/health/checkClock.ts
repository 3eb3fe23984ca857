import { groupBy } from '../../facts/groupBy.ts'
import { HOUR, MINUTE } from '../../facts/times.ts'
import { readJudgedAfter } from '../../store/endpoints.ts'
import type { Store } from '../../store/store.ts'
import type { Check, Finding } from './createHealth.ts'
import type { RpcHead } from './readRpc.ts'

type ClockCheckDeps = {
  readonly store: Store
  /** Puts endpoints of a host at the front of the queue, and wakes the crawl. */
  readonly probeFirst: (host: string, endpoints: readonly string[]) => Promise<void>
  /** The audit's clock. */
  readonly now: () => number
  /** The newest blocks of the RPCs that are on the right chain. */
  readonly heads: () => readonly RpcHead[]
}

const EVERY_MS = 30_000
/** Clocks of processes that share a database differ by less. */
const SKEW_MS = MINUTE
/** A host may retry a chain that stands still; blocks of one that goes on are younger. */
const OLD_BLOCK_MS = 5 * MINUTE
const MOST_AT_ONCE = 1000

/**
 * Finds records from the future, which a clock left that was ahead, and makes their endpoints due: their verdicts count as
 * fresh and no probe is due until that time comes. Compares the clock with the newest blocks of the chain: half of the RPCs
 * must disagree with it.
 */
export function checkClock({ store, probeFirst, now, heads }: ClockCheckDeps): Check {
  let fromFuture = 0
  let aheadMs = Number.NaN
  /** Time of the newest block that a run has compared with. */
  let newest = Number.NaN

  const probeAgain = async () => {
    const ahead = await readJudgedAfter(store, now() + SKEW_MS, now() + HOUR, MOST_AT_ONCE)
    fromFuture = ahead.count
    for (const [host, own] of groupBy(ahead.notDue, (one) => one.host))
      await probeFirst(
        host,
        own.map(({ endpoint }) => endpoint),
      )
  }
  const compare = (): Finding | null => {
    const head = middleOf(heads())
    if (head === undefined) return null
    const isMoving = head.atMs > newest
    newest = Math.max(Number.isNaN(newest) ? 0 : newest, head.atMs)
    aheadMs = head.readAtMs - head.atMs
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

/** Returns the block of the middle RPC by its difference from the clock; of two, the nearer one. */
function middleOf(heads: readonly RpcHead[]): RpcHead | undefined {
  const aheadOf = ({ atMs, readAtMs }: RpcHead) => readAtMs - atMs
  const sorted = heads.toSorted((a, b) => aheadOf(a) - aheadOf(b))
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  return middle.toSorted((a, b) => Math.abs(aheadOf(a)) - Math.abs(aheadOf(b)))[0]
}
