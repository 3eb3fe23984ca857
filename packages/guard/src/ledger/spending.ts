import type { LedgerView } from '../decide/budget.ts'
import type { LedgerEntry, ViewQuery } from './ledger.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Running sums of spending in millionths of a dollar, updated per payment instead of recomputed. */
export type Spending = {
  /** Over the lifetime of the ledger. */
  total: bigint
  /** Over the lifetime of the ledger, in the asset's smallest unit, by network and asset. */
  byAsset: Map<string, bigint>
  /** Entries of the two sums below, ordered by time. */
  recent: LedgerEntry[]
  day: bigint
  byHost: Map<string, bigint>
}

/** Creates sums of zero. */
export function createSpending(): Spending {
  return { total: 0n, byAsset: new Map(), recent: [], day: 0n, byHost: new Map() }
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

/** Returns the key of an asset on a network. */
export function assetKey({ network, asset }: Pick<LedgerEntry, 'network' | 'asset'>): string {
  return `${network} ${asset.toLowerCase()}`
}

const counts = ({ state }: LedgerEntry): boolean => state !== 'released'

function countEver(
  spending: Spending,
  { network, asset, amountAtomic, usdMicros }: LedgerEntry,
  sign: bigint,
) {
  spending.total += sign * usdMicros
  addTo(spending.byAsset, assetKey({ network, asset }), sign * BigInt(amountAtomic))
}

function countDay(spending: Spending, { host, usdMicros }: LedgerEntry, sign: bigint): void {
  spending.day += sign * usdMicros
  addTo(spending.byHost, host, sign * usdMicros)
}

function addTo(sums: Map<string, bigint>, key: string, amount: bigint): void {
  const sum = (sums.get(key) ?? 0n) + amount
  if (sum === 0n) sums.delete(key)
  else sums.set(key, sum)
}
