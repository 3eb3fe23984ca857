import { addressAt, findBurnOrdinals, findZero, isZeroAt, valueAt } from '../columns/columns.ts'
import { sizeAt } from '../figures/ranks.ts'
import type { Address, Hex, TransferColumns } from '../types.ts'

/** Amount that a holder should have received in a block. */
export type FitSample = { readonly holder: Address; readonly block: number; readonly value: bigint }

/** Amount that a holder must have had before a block, by the transfers that it sent within it. */
export type SpentSample = { readonly holder: Address; readonly block: number; readonly least: bigint }

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
  const { to, block } = columns
  const burnt = findBurnOrdinals(columns)
  const sampleOf = (row: number): FitSample | null => {
    const recipient = to[row] as number
    const value = burnt.has(recipient) ? 0n : netInBlock(columns, row)
    return value <= 0n ? null : { holder: addressAt(columns, recipient), block: block[row] as number, value }
  }
  return pickRows(columns, hash, sampleOf)
}

/**
 * Picks up to eight of the transfers that brought their recipient nothing in the block, as in a cycle, in the same way.
 * Their balances say nothing, but whoever sends before it receives must have had that much. A sample is the address of
 * the transaction that must have had most.
 */
export function pickSpentSamples(columns: TransferColumns, hash: Hex): readonly SpentSample[] {
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  return pickRows(columns, hash, (row) => {
    const isCycle = !burnt.has(columns.to[row] as number) && netInBlock(columns, row) <= 0n
    return isCycle && !isZeroAt(columns, row) ? findSpender(columns, row, zero) : null
  })
}

/** Finds the address of a row's transaction that must have had most before the block, by its sums in the order of the logs. */
function findSpender(columns: TransferColumns, row: number, zero: number): SpentSample | null {
  const { from, to, tx, block } = columns
  const sums = new Map<number, bigint>()
  let [spender, lowest] = [-1, 0n]
  for (const i of rowsOfBlock(columns, row)) {
    const [sender, recipient, value] = [from[i] as number, to[i] as number, valueAt(columns, i)]
    const sum = (sums.get(sender) ?? 0n) - value
    sums.set(sender, sum)
    if (tx[i] === tx[row] && sender !== zero && sum < lowest) [spender, lowest] = [sender, sum]
    sums.set(recipient, (sums.get(recipient) ?? 0n) + value)
  }
  if (spender < 0) return null
  return { holder: addressAt(columns, spender), block: block[row] as number, least: -lowest }
}

/** Returns what all transfers of a block brought the recipient of a row. */
function netInBlock(columns: TransferColumns, row: number): bigint {
  const { from, to } = columns
  const holder = to[row]
  let net = 0n
  for (const i of rowsOfBlock(columns, row)) {
    if (to[i] === holder) net += valueAt(columns, i)
    if (from[i] === holder) net -= valueAt(columns, i)
  }
  return net
}

function* rowsOfBlock({ count, block }: TransferColumns, row: number): Generator<number> {
  const at = block[row]
  let start = row
  while (start > 0 && block[start - 1] === at) start--
  for (let i = start; i < count && block[i] === at; i++) yield i
}

/** Picks a sample for each word of a hash, from the first row from there on that gives one of another holder or block. */
function pickRows<Sample extends { readonly holder: Address; readonly block: number }>(
  { count }: TransferColumns,
  hash: Hex,
  sampleOf: (row: number) => Sample | null,
): readonly Sample[] {
  const picked = new Map<string, Sample>()
  const tried = new Set<number>()
  for (let start = 2; start < 66; start += 8) {
    const word = Number.parseInt(hash.slice(start, start + 8), 16)
    for (let i = 0; i < Math.min(count, MAX_TRIES); i++) {
      const row = (word + i) % count
      if (tried.has(row)) continue
      tried.add(row)
      const sample = sampleOf(row)
      if (sample === null || picked.has(`${sample.holder} ${sample.block}`)) continue
      picked.set(`${sample.holder} ${sample.block}`, sample)
      break
    }
  }
  return [...picked.values()]
}
