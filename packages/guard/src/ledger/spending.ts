import type { LedgerView } from '../decide/budget.ts'
import type { LedgerEntry, ViewQuery } from './ledger.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Sums of what counts as spent, in millionths of a dollar. They are kept as payments come in: a bot that has paid ten
 * thousand times today does not wait for a walk over all of them.
 */
export type Spending = {
  /** Since the beginning. */
  total: bigint
  /** Since the beginning, in the asset's smallest unit, by network and asset. */
  byAsset: Map<string, bigint>
  /** The entries behind the two sums below, in the order of their times. */
  recent: LedgerEntry[]
  day: bigint
  byHost: Map<string, bigint>
}

/** Nothing spent. */
export function createSpending(): Spending {
  return { total: 0n, byAsset: new Map(), recent: [], day: 0n, byHost: new Map() }
}

/** Counts a new entry. */
export function addSpending(spending: Spending, entry: LedgerEntry): void {
  const { recent } = spending
  let place = recent.length
  // Times go up, but for a clock that was set back and for processes that write at the same moment.
  while (place > 0 && (recent[place - 1]?.at ?? 0) > entry.at) place -= 1
  recent.splice(place, 0, entry)
  countEver(spending, entry, 1n)
  countDay(spending, entry, 1n)
}

/** Takes an entry back that turned out never to be spent. */
export function takeBack(spending: Spending, entry: LedgerEntry): void {
  countEver(spending, entry, -1n)
  countDay(spending, entry, -1n)
}

/** Drops what is older than a day at `now` from the day's sums, and returns it. */
export function dropOld(spending: Spending, now: number): LedgerEntry[] {
  const { recent } = spending
  const firstYoung = recent.findIndex(({ at }) => at > now - DAY_MS)
  const old = recent.splice(0, firstYoung < 0 ? recent.length : firstYoung)
  for (const entry of old) if (counts(entry)) countDay(spending, entry, -1n)
  return old
}

/**
 * What was spent as of `now`, in milliseconds since 1970.
 * A clock that was set back must not make spending disappear: what lies ahead of `now` counts too.
 */
export function sumSpending(spending: Spending, { host, call }: ViewQuery, now: number) {
  const sums = {
    spentTotal: spending.total,
    spentDay: spending.day,
    spentHostDay: spending.byHost.get(host) ?? 0n,
    hostPaymentsLastMinute: 0,
    identicalPaymentsLastMinute: 0,
  } satisfies Partial<LedgerView>
  for (const entry of spending.recent) {
    if (entry.at > now - DAY_MS) break
    if (!counts(entry)) continue
    sums.spentDay -= entry.usdMicros
    if (entry.host === host) sums.spentHostDay -= entry.usdMicros
  }
  for (let index = spending.recent.length - 1; index >= 0; index--) {
    const entry = spending.recent[index]
    if (entry === undefined || entry.at <= now - MINUTE_MS) break
    if (!counts(entry) || entry.host !== host) continue
    sums.hostPaymentsLastMinute += 1
    if (entry.call === call) sums.identicalPaymentsLastMinute += 1
  }
  return sums
}

const counts = ({ state }: LedgerEntry): boolean => state !== 'released'

function countEver(
  spending: Spending,
  { network, asset, amountAtomic, usdMicros }: LedgerEntry,
  sign: bigint,
) {
  spending.total += sign * usdMicros
  addTo(spending.byAsset, `${network} ${asset.toLowerCase()}`, sign * BigInt(amountAtomic))
}

function countDay(spending: Spending, { host, usdMicros }: LedgerEntry, sign: bigint): void {
  spending.day += sign * usdMicros
  addTo(spending.byHost, host, sign * usdMicros)
}

function addTo(sums: Map<string, bigint>, key: string, amount: bigint): void {
  const sum = (sums.get(key) ?? 0n) + amount
  // Hosts come and go; one of which nothing is left is not remembered.
  if (sum === 0n) sums.delete(key)
  else sums.set(key, sum)
}
