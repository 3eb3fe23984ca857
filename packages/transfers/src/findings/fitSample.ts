import { addressAt, valueAt } from '../columns/columns.ts'
import { findBurnOrdinals, findZero } from '../figures/activity.ts'
import { sizeAt } from '../figures/ranks.ts'
import type { Address, TransferColumns } from '../types.ts'

/** A transfer to an address that no other transfer of the window names. */
export type FitSample = { readonly holder: Address; readonly block: number; readonly value: bigint }

/**
 * Picks the two largest transfers whose recipient occurs once, so that its balance must change by exactly their value;
 * null if there are fewer. One alone could be a coincidence. Skips mints and burns: no fee is taken from these.
 */
export function pickFitSamples(columns: TransferColumns): readonly [FitSample, FitSample] | null {
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
