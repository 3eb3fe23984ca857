import { formatUsdc } from '@touchstone402/shared'
import type { LedgerView } from '../decide/budget.ts'
import type { LedgerEntry, SpendingSum, SpendingSummary, ViewQuery } from './ledger.ts'

const MINUTE_MS = 60_000
/** Window of the daily limits in ms. */
export const DAY_MS = 86_400_000

/** Running sums of spending in millionths of a dollar, updated per payment instead of recomputed. */
export type Spending = {
  /** Over the lifetime of the ledger. */
  total: bigint
  /** Over the lifetime of the ledger, in the asset's smallest unit, by network and asset. */
  byAsset: Map<string, bigint>
  /** Over the lifetime of the ledger, by task. */
  byTask: Map<string, bigint>
  /** Entries of the daily sums, ordered by time. */
  recent: LedgerEntry[]
  /** Sums of the last 24 hours by the keys of {@link dayKeys}. */
  byDay: Map<string, bigint>
}

/** Creates sums of zero. */
export function createSpending(): Spending {
  return { total: 0n, byAsset: new Map(), byTask: new Map(), recent: [], byDay: new Map() }
}

/** Adds an entry to the sums. */
export function addSpending(spending: Spending, entry: LedgerEntry): void {
  const { recent } = spending
  let place = recent.length
  // Times increase except after a clock change and between concurrent processes.
  while (place > 0 && (recent[place - 1]?.at ?? 0) > entry.at) place -= 1
  recent.splice(place, 0, entry)
  countEver(spending, entry, 1n)
  countDay(spending, entry, 1n)
}

/** Subtracts an entry that was never spent. */
export function takeBack(spending: Spending, entry: LedgerEntry): void {
  countEver(spending, entry, -1n)
  // Older entries have left the daily sums already.
  if (spending.recent.includes(entry)) countDay(spending, entry, -1n)
}

/** Changes the amount of an entry. */
export function correctSpending(
  spending: Spending,
  entry: LedgerEntry,
  change: Pick<LedgerEntry, 'amountAtomic' | 'usdMicros'>,
): void {
  takeBack(spending, entry)
  Object.assign(entry, change)
  countEver(spending, entry, 1n)
  if (spending.recent.includes(entry)) countDay(spending, entry, 1n)
}

/** Removes entries older than a day from the daily sums and returns them. */
export function dropOld(spending: Spending, now: number): LedgerEntry[] {
  const { recent } = spending
  const firstYoung = recent.findIndex(({ at }) => at > now - DAY_MS)
  const old = recent.splice(0, firstYoung < 0 ? recent.length : firstYoung)
  for (const entry of old) if (counts(entry)) countDay(spending, entry, -1n)
  return old
}

/**
 * Returns spending as of `now` (Unix time in ms).
 * Entries with later times count too, so that setting the clock back does not free budget.
 */
export function sumSpending(spending: Spending, query: ViewQuery, now: number) {
  const { host, call, task } = query
  const stale = new Map<string, bigint>()
  for (const entry of spending.recent) {
    if (entry.at > now - DAY_MS) break
    if (counts(entry)) for (const key of dayKeys(entry)) addTo(stale, key, entry.usdMicros)
  }
  const dayOf = (key: string) => (spending.byDay.get(key) ?? 0n) - (stale.get(key) ?? 0n)
  const [day, byHost, byReceiver, unknown, byDomain] = dayKeys({ ...query, isVouched: false })
  const sums = {
    spentTotal: spending.total,
    spentTask: task === null ? 0n : (spending.byTask.get(task) ?? 0n),
    spentDay: dayOf(day),
    spentHostDay: dayOf(byHost),
    spentReceiverDay: dayOf(byReceiver),
    spentUnknownDay: dayOf(unknown),
    spentUnknownDomainDay: dayOf(byDomain),
    hostPaymentsLastMinute: 0,
    identicalPaymentsLastMinute: 0,
  } satisfies Partial<LedgerView>
  for (let index = spending.recent.length - 1; index >= 0; index--) {
    const entry = spending.recent[index]
    if (entry === undefined || entry.at <= now - MINUTE_MS) break
    if (!counts(entry) || entry.host !== host) continue
    sums.hostPaymentsLastMinute += 1
    if (entry.call === call) sums.identicalPaymentsLastMinute += 1
  }
  return sums
}

/** Returns spending by key in the last 24 hours, and over the lifetime. `inFlight` are unresolved entries of any age. */
export function summarizeSpending(
  spending: Spending,
  inFlight: Iterable<LedgerEntry>,
  now: number,
): SpendingSummary {
  const day = new Map<string, SpendingSum>()
  for (const entry of spending.recent) {
    if (entry.at <= now - DAY_MS || !counts(entry)) continue
    for (const key of dayKeys(entry)) {
      const sum = day.get(key) ?? { spent: 0n, reserved: 0n, oldestAt: entry.at }
      sum[isInFlight(entry) ? 'reserved' : 'spent'] += entry.usdMicros
      day.set(key, sum)
    }
  }
  let reserved = 0n
  for (const entry of inFlight) if (isInFlight(entry)) reserved += entry.usdMicros
  return { day, total: { spent: spending.total - reserved, reserved }, tasks: new Map(spending.byTask) }
}

/** Returns the keys of the daily sums that a payment counts in; the last two only without a full verdict. */
function dayKeys({ host, payTo, domain, isVouched }: DayFacts): [string, string, string, string, string] {
  const keys = ['day', `host ${host}`, `payTo ${payTo.toLowerCase()}`]
  if (!isVouched) keys.push('unknown', `unknown ${domain}`)
  return keys as ReturnType<typeof dayKeys>
}

type DayFacts = Pick<LedgerEntry, 'host' | 'payTo' | 'domain' | 'isVouched'>

/** Returns the key of an asset on a network. */
export function assetKey({ network, asset }: Pick<LedgerEntry, 'network' | 'asset'>): string {
  return `${network} ${asset.toLowerCase()}`
}

const counts = ({ state }: LedgerEntry): boolean => state !== 'released'
const isInFlight = ({ state }: LedgerEntry): boolean => state === 'reserved' || state === 'sent'

function countEver(
  spending: Spending,
  { network, asset, amountAtomic, usdMicros, task }: LedgerEntry,
  sign: bigint,
) {
  if (task !== null) addTo(spending.byTask, task, sign * usdMicros)
  spending.total += sign * usdMicros
  addTo(spending.byAsset, assetKey({ network, asset }), sign * BigInt(amountAtomic))
}

/** Adds an entry to the daily sums, or with a sign of -1 takes it away. */
export function countDay(spending: Spending, entry: LedgerEntry, sign: bigint): void {
  for (const key of dayKeys(entry)) addTo(spending.byDay, key, sign * entry.usdMicros)
}

function addTo(sums: Map<string, bigint>, key: string, amount: bigint): void {
  const sum = (sums.get(key) ?? 0n) + amount
  if (sum === 0n) sums.delete(key)
  else sums.set(key, sum)
}

/**
 * State of one budget; amounts are dollars as decimal strings.
 * @example
 * const isLow = ({ remainingUsd }: BudgetLine) => remainingUsd !== null && Number(remainingUsd) < 0.1
 */
export type BudgetLine = {
  /** Null means no limit. */
  limitUsd: string | null
  /** Payments that settled, or that may have. */
  spentUsd: string
  /** Payments in flight; they count against the limit. */
  reservedUsd: string
  /** Null means no limit. */
  remainingUsd: string | null
  /** ISO time at which the oldest payment leaves the 24 hours; null if nothing does. */
  resetsAt: string | null
}

type Sum = Omit<SpendingSum, 'oldestAt'> | SpendingSum

/** Returns the remainder of a limit in millionths of a dollar. @param sum amount that counts against it. @default nothing */
export function toLine(limit: bigint | null, sum: Sum = { spent: 0n, reserved: 0n }): BudgetLine {
  const { spent, reserved } = sum
  const left = limit === null ? null : limit - spent - reserved
  return {
    limitUsd: limit === null ? null : formatUsdc(limit),
    spentUsd: formatUsdc(spent),
    reservedUsd: formatUsdc(reserved),
    remainingUsd: left === null ? null : formatUsdc(left < 0n ? 0n : left),
    resetsAt: 'oldestAt' in sum ? new Date(sum.oldestAt + DAY_MS).toISOString() : null,
  }
}
