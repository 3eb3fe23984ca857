import { addressAt, findBurnOrdinals, findZero, valueAt } from '../columns/columns.ts'
import { sizeAt } from '../figures/ranks.ts'
import type { Address, Hex, TransferColumns } from '../types.ts'

/** Amount that a holder should have received in a block. */
export type FitSample = { readonly holder: Address; readonly block: number; readonly value: bigint }

/** Rows to try for one random sample. */
const MAX_TRIES = 100

/**
 * Picks the two largest transfers whose recipient occurs once, so that its balance must change by exactly their value;
 * null if there are fewer. One alone could be a coincidence. Skips mints and burns: no fee is taken from these.
 */
export function pickLargeSamples(columns: TransferColumns): readonly [FitSample, FitSample] | null {
  const { count, from, to, block, addressCount } = columns
  // Occurrences up to two.
  const seen = new Uint8Array(addressCount)
  const see = (ordinal: number) => {
    if ((seen[ordinal] as number) < 2) seen[ordinal] = (seen[ordinal] as number) + 1
  }
  for (let row = 0; row < count; row++) {
    see(from[row] as number)
    see(to[row] as number)
  }
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  // Rows of the largest and the second largest value, compared as doubles.
  let first = -1
  let second = -1
  let most = 0
  let more = 0
  for (let row = 0; row < count; row++) {
    const recipient = to[row] as number
    if (seen[recipient] !== 1 || from[row] === zero || burnt.has(recipient)) continue
    const size = sizeAt(columns, row)
    if (size > most) {
      second = first
      more = most
      first = row
      most = size
    } else if (size > more) {
      second = row
      more = size
    }
  }
  const sampleOf = (row: number): FitSample => ({
    holder: addressAt(columns, to[row] as number),
    block: block[row] as number,
    value: valueAt(columns, row),
  })
  return second < 0 ? null : [sampleOf(first), sampleOf(second)]
}

/**
 * Picks up to eight transfers, mints included, by the hash of the newest block, which no token can choose. A sample is
 * what all transfers of its block brought the recipient, so that it need not occur once.
 */
export function pickRandomSamples(columns: TransferColumns, hash: Hex): readonly FitSample[] {
  const { count, from, to, block } = columns
  const burnt = findBurnOrdinals(columns)
  const netInBlock = (row: number): bigint => {
    const [holder, at] = [to[row], block[row]]
    let start = row
    while (start > 0 && block[start - 1] === at) start--
    let net = 0n
    for (let i = start; i < count && block[i] === at; i++) {
      if (to[i] === holder) net += valueAt(columns, i)
      if (from[i] === holder) net -= valueAt(columns, i)
    }
    return net
  }
  const picked = new Map<string, FitSample>()
  const tried = new Set<number>()
  for (let start = 2; start < 66; start += 8) {
    const word = Number.parseInt(hash.slice(start, start + 8), 16)
    for (let i = 0; i < Math.min(count, MAX_TRIES); i++) {
      const row = (word + i) % count
      if (tried.has(row)) continue
      tried.add(row)
      const [recipient, at] = [to[row] as number, block[row] as number]
      const key = `${recipient} ${at}`
      const value = burnt.has(recipient) || picked.has(key) ? 0n : netInBlock(row)
      if (value <= 0n) continue
      picked.set(key, { holder: addressAt(columns, recipient), block: at, value })
      break
    }
  }
  return [...picked.values()]
}
