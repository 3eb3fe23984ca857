import { addressAt, valueAt } from '../columns/columns.ts'
import { findBurnOrdinals, findZero } from '../figures/activity.ts'
import type { Address, TransferColumns } from '../types.ts'

/** A transfer to an address that no other transfer of the window names. */
export type FitSample = { readonly holder: Address; readonly block: number; readonly value: bigint }

/** Samples that the check compares. One alone could be a coincidence. */
const SAMPLES = 2

/**
 * Picks the largest transfers whose recipient occurs once, so that its balance must change by exactly their value.
 * Skips mints and burns: no fee is taken from these.
 */
export function pickFitSamples(columns: TransferColumns): FitSample[] {
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
  const picked: FitSample[] = []
  const isLess = (value: bigint) => picked.length === SAMPLES && value <= (picked.at(-1)?.value ?? 0n)
  for (let row = 0; row < count; row++) {
    const recipient = to[row] as number
    if (seen[recipient] !== 1 || from[row] === zero || burnt.has(recipient)) continue
    const value = valueAt(columns, row)
    if (value === 0n || isLess(value)) continue
    picked.push({ holder: addressAt(columns, recipient), block: block[row] as number, value })
    picked.sort((a, b) => (a.value < b.value ? 1 : a.value > b.value ? -1 : a.block - b.block))
    if (picked.length > SAMPLES) picked.length = SAMPLES
  }
  return picked
}
