import type { GuardEvent } from '../events.ts'
import { DAY_MS } from './spending.ts'

/** Lines of such events in one day, for each agent. */
const MAX_LINES = 1000
/** Events of payments, which are recorded each time. */
const PAYMENTS: readonly GuardEvent['type'][] = ['allowed', 'settled', 'unsettled', 'resent']

type Day = { day: number; lines: number; counts: Map<string, number> }

/**
 * Creates a filter of refusals, and of other events that cost nothing, for a ledger, which keeps every line for good. Equal
 * events of a day are recorded at their 1st, 10th, 100th… time with their count, and at most {@link MAX_LINES} lines a day
 * for each agent.
 * @returns the count to record; null to record nothing
 */
export function createEventFilter(): (event: GuardEvent) => number | null {
  const days = new Map<string | null, Day>()
  return ({ type, at, agent, code, endpoint, method, payment }) => {
    if (PAYMENTS.includes(type)) return 1
    const day = Math.floor(at / DAY_MS)
    const known = days.get(agent)
    const today = known?.day === day ? known : { day, lines: 0, counts: new Map<string, number>() }
    days.set(agent, today)
    const key = JSON.stringify([type, code, endpoint, method, payment?.payTo, payment?.amountAtomic])
    const count = (today.counts.get(key) ?? 0) + 1
    if (today.lines >= MAX_LINES && count === 1) return null
    today.counts.set(key, count)
    if (today.lines >= MAX_LINES || !isPowerOfTen(count)) return null
    today.lines += 1
    return count
  }
}

const isPowerOfTen = (count: number): boolean => /^10*$/.test(String(count))
