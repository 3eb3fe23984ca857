import type { BudgetLimits, LedgerView } from '../decide/budget.ts'
import { type HostGroup, isInGroup } from '../decide/hosts.ts'
import { isInFlight } from './exposure.ts'
import type { Payment, PaymentQuery, SpendingSum, SpendingSummary } from './ledger.ts'

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
  recent: Payment[]
  /** Sums of `recent` by the keys of {@link dayKeys}. */
  byDay: Map<string, bigint>
  /** Sums of the entries that have left `recent`, by the same keys, for each of the last hours with payments. They only grow. */
  past: Map<number, Map<string, bigint>>
  /** Unix time in ms up to which entries have left `recent`. */
  pastUntil: number
}

const HOUR_MS = 3_600_000
/** Hours of sums that are kept: seven days, so that one call with a clock ahead does not free the budgets of the day. */
const KEPT_HOURS = 168

/** Creates sums of zero. */
export function createSpending(): Spending {
  const sums = { byAsset: new Map(), byTask: new Map(), byDay: new Map(), past: new Map() }
  return { total: 0n, recent: [], pastUntil: 0, ...sums }
}

/** Adds an entry to the sums. */
export function addSpending(spending: Spending, entry: Payment): void {
  const { recent } = spending
  let place = recent.length
  // Times increase except after a clock change and between concurrent processes.
  while (place > 0 && (recent[place - 1]?.at ?? 0) > entry.at) place -= 1
  recent.splice(place, 0, entry)
  countEver(spending, entry, 1n)
  countDay(spending.byDay, entry, 1n)
}

/** Subtracts an entry that was never spent. Past hours keep it: they count for a day at most, after a clock was ahead. */
export function takeBack(spending: Spending, entry: Payment): void {
  countEver(spending, entry, -1n)
  if (isRecent(spending, entry)) countDay(spending.byDay, entry, -1n)
}

// Searched from the end, since most changes are of new entries.
const isRecent = ({ recent }: Spending, entry: Payment): boolean => recent.lastIndexOf(entry) >= 0

/** Lowers the sums to what the chain proves that a payment has cost. */
export function recordCost(spending: Spending, entry: Payment, known: NonNullable<Payment['known']>): void {
  takeBack(spending, entry)
  entry.known = known
  countEver(spending, entry, 1n)
  if (isRecent(spending, entry)) countDay(spending.byDay, entry, 1n)
}

/** Moves entries older than a day into the sums of past days, and returns them. */
export function dropOld(spending: Spending, now: number): Payment[] {
  const { recent } = spending
  const firstYoung = recent.findIndex(({ at }) => at > now - DAY_MS)
  const old = recent.slice(0, firstYoung < 0 ? recent.length : firstYoung)
  recent.splice(0, old.length)
  spending.pastUntil = Math.max(spending.pastUntil, old.at(-1)?.at ?? 0)
  for (const entry of old) {
    if (!counts(entry)) continue
    countDay(spending.byDay, entry, -1n)
    countDay(pastOf(spending, entry.at), entry, 1n)
  }
  return old
}

/**
 * Returns spending as of `now` (Unix time in ms).
 * Entries with later times count too, so that setting the clock back does not free budget.
 */
export function sumSpending(
  spending: Spending,
  query: PaymentQuery,
  now: number,
  { hostGroup }: Pick<BudgetLimits, 'hostGroup'> = {},
) {
  const { host, call, task, agent } = query
  const stale = new Map<string, bigint>()
  for (const entry of spending.recent) {
    if (entry.at > now - DAY_MS) break
    if (counts(entry)) for (const key of dayKeys(entry)) addTo(stale, key, costOf(entry).usdMicros)
  }
  const spentOf = (key: string) =>
    (spending.byDay.get(key) ?? 0n) - (stale.get(key) ?? 0n) + sumPast(spending, key, now)
  const [day, byHost, byReceiver, unknown, byDomain] = dayKeys({ ...query, isVouched: false })
  const ofHost = hostGroup === undefined ? [byHost] : keysOfGroup(spending, hostGroup)
  const sums = {
    spentTotal: spending.total,
    spentTask: task === null ? 0n : (spending.byTask.get(task) ?? 0n),
    spentDay: spentOf(day),
    spentHostDay: ofHost.reduce((sum, key) => sum + spentOf(key), 0n),
    spentReceiverDay: spentOf(byReceiver),
    spentUnknownDay: spentOf(unknown),
    spentUnknownDomainDay: spentOf(byDomain),
    hostPaymentsLastMinute: 0,
    identicalPaymentsLastMinute: 0,
  } satisfies Partial<LedgerView>
  for (let index = spending.recent.length - 1; index >= 0; index--) {
    const entry = spending.recent[index]
    if (entry === undefined || entry.at <= now - MINUTE_MS) break
    // Of a clock that was ahead.
    if (entry.at > now + MINUTE_MS) continue
    // The pace of one agent holds up no other.
    if (!counts(entry) || entry.host !== host || entry.agent !== agent) continue
    sums.hostPaymentsLastMinute += 1
    if (entry.call === call) sums.identicalPaymentsLastMinute += 1
  }
  return sums
}

/** Returns the keys of the sums of a group's hosts. */
function keysOfGroup({ byDay, past }: Spending, group: HostGroup): string[] {
  const keys = new Set([byDay, ...past.values()].flatMap((sums) => [...sums.keys()]))
  return [...keys].filter((key) => isKeyOf(group, key))
}

/** Whether a key is that of the daily sum of a group's host. */
export const isKeyOf = (group: HostGroup, key: string): boolean =>
  key.startsWith(HOST) && isInGroup(group, key.slice(HOST.length))

/** Returns spending by key in the last 24 hours, and over the lifetime. `inFlight` are unresolved entries of any age. */
export function summarizeSpending(
  spending: Spending,
  inFlight: Iterable<Payment>,
  now: number,
): SpendingSummary {
  const day = new Map<string, SpendingSum>()
  for (const entry of spending.recent) {
    const { usdMicros } = costOf(entry)
    // Of an upto payment nothing may have been collected, and then nothing is left once it leaves the day.
    if (entry.at <= now - DAY_MS || !counts(entry) || usdMicros === 0n) continue
    for (const key of dayKeys(entry)) {
      const sum = day.get(key) ?? { spent: 0n, reserved: 0n, oldestAt: entry.at }
      sum[isInFlight(entry) ? 'reserved' : 'spent'] += usdMicros
      day.set(key, sum)
    }
  }
  for (const key of new Set([...spending.past.values()].flatMap((sums) => [...sums.keys()]))) {
    const past = sumPast(spending, key, now)
    if (past === 0n) continue
    const { spent, reserved } = day.get(key) ?? { spent: 0n, reserved: 0n }
    // Yesterday's leave at the end of the day, and all once none has left early.
    day.set(key, { spent: spent + past, reserved, oldestAt: (hourOf(now - DAY_MS) + 1) * HOUR_MS })
  }
  let reserved = 0n
  for (const entry of inFlight) if (isInFlight(entry)) reserved += costOf(entry).usdMicros
  return { day, total: { spent: spending.total - reserved, reserved }, tasks: new Map(spending.byTask) }
}

/** Begin of the keys of the daily sums by host. */
export const HOST = 'host '

/** Returns the keys of the daily sums that a payment counts in; the last two only without a full verdict. */
function dayKeys({ host, payTo, domain, isVouched }: DayFacts): [string, string, string, string, string] {
  const keys = ['day', `${HOST}${host}`, `payTo ${payTo.toLowerCase()}`]
  if (!isVouched) keys.push('unknown', `unknown ${domain}`)
  return keys as ReturnType<typeof dayKeys>
}

type DayFacts = Pick<Payment, 'host' | 'payTo' | 'domain' | 'isVouched'>

/** Returns the key of an asset on a network. */
export function assetKey({ network, asset }: Pick<Payment, 'network' | 'asset'>): string {
  return `${network} ${asset.toLowerCase()}`
}

const counts = ({ state }: Payment): boolean => state !== 'released'

/** Returns what a payment counts with: the most that it can cost, until the chain proves less. */
export const costOf = (entry: Payment): Pick<Payment, 'amountAtomic' | 'usdMicros'> =>
  entry.known?.by === 'chain' ? entry.known : entry

function countEver(spending: Spending, entry: Payment, sign: bigint): void {
  const { network, asset, task } = entry
  const { amountAtomic, usdMicros } = costOf(entry)
  if (task !== null) addTo(spending.byTask, task, sign * usdMicros)
  spending.total += sign * usdMicros
  addTo(spending.byAsset, assetKey({ network, asset }), sign * BigInt(amountAtomic))
}

/** Adds an entry to sums of a day, or with a sign of -1 takes it away. */
export function countDay(sums: Map<string, bigint>, entry: Payment, sign: bigint): void {
  for (const key of dayKeys(entry)) addTo(sums, key, sign * costOf(entry).usdMicros)
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)

/** Returns the sums of a past hour. Drops the oldest beyond {@link KEPT_HOURS}, by the hours with payments and no clock. */
function pastOf({ past }: Spending, at: number): Map<string, bigint> {
  const hour = hourOf(at)
  const sums = past.get(hour) ?? new Map<string, bigint>()
  past.set(hour, sums)
  if (past.size > KEPT_HOURS) past.delete(Math.min(...past.keys()))
  return sums
}

/**
 * Returns what past hours still count for at `now`: nothing, unless the clock was ahead when their entries left.
 */
function sumPast({ past, pastUntil }: Spending, key: string, now: number): bigint {
  // Clocks of processes differ a little.
  if (pastUntil <= now - DAY_MS + MINUTE_MS) return 0n
  let sum = 0n
  for (const [hour, sums] of past) if (hour >= hourOf(now - DAY_MS)) sum += sums.get(key) ?? 0n
  return sum
}

function addTo(sums: Map<string, bigint>, key: string, amount: bigint): void {
  const sum = (sums.get(key) ?? 0n) + amount
  if (sum === 0n) sums.delete(key)
  else sums.set(key, sum)
}
