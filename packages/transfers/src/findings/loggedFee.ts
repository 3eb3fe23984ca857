import { addressAt, valueAt } from '../columns/columns.ts'
import type { Address, TransferColumns } from '../types.ts'

/** A fee that a token logs as a separate transfer. */
export type LoggedFee = { readonly feePct: number; readonly collector: Address }

const PPM = 1_000_000n
const HALF_PPM = 500_000n
const LIKE_PPM = 100n
/** A router takes the fees of its own users only, so fees of fewer senders are not the token's. */
const MIN_SENDERS = 3
/** Fees are at least a fourth of the rows: with the transfers they belong to, half of them. */
const MIN_SHARE = 4

/** Converts parts per million to percent with two decimal places. */
export function toPct(ppm: bigint): number {
  return Math.round(Number(ppm) / 100) / 100
}

type Pairs = { readonly ppm: bigint; readonly senders: Set<number>; count: number; unlike: number }

/**
 * Finds a fee in the logs: most transfers come with another one from the same sender, of the same share each time,
 * to the same address. Null if there is none.
 */
export function findLoggedFee(columns: TransferColumns): LoggedFee | null {
  const { count, tx, from, to } = columns
  const received = new Uint32Array(columns.addressCount)
  for (let row = 0; row < count; row++) {
    const recipient = to[row] as number
    received[recipient] = (received[recipient] as number) + 1
  }
  // At most four addresses, so memory is bounded and most rows need no bigint.
  const isFrequent = (recipient: number) => (received[recipient] as number) * MIN_SHARE >= count
  const byCollector = new Map<number, Pairs>()
  for (let row = 0; row + 1 < count; row++) {
    if (tx[row] !== tx[row + 1] || from[row] !== from[row + 1]) continue
    if (!isFrequent(to[row] as number) && !isFrequent(to[row + 1] as number)) continue
    const [one, two] = [valueAt(columns, row), valueAt(columns, row + 1)]
    if (one === 0n || two === 0n) continue
    const share = (one * PPM) / (one + two)
    const [ppm, feeRow] = share < HALF_PPM ? [share, row] : [PPM - share, row + 1]
    if (ppm === 0n || ppm === HALF_PPM) continue
    const collector = to[feeRow] as number
    if (!isFrequent(collector)) continue
    const pairs = byCollector.get(collector) ?? { ppm, senders: new Set(), count: 0, unlike: 0 }
    byCollector.set(collector, pairs)
    const isLike = ppm - pairs.ppm <= LIKE_PPM && pairs.ppm - ppm <= LIKE_PPM
    if (isLike) {
      pairs.count++
      if (pairs.senders.size < MIN_SENDERS) pairs.senders.add(from[row] as number)
    } else pairs.unlike++
  }
  for (const [collector, { ppm, senders, count: like, unlike }] of byCollector)
    if (senders.size >= MIN_SENDERS && like * MIN_SHARE >= count && like > unlike * 9)
      return { feePct: toPct(ppm), collector: addressAt(columns, collector) }
  return null
}
