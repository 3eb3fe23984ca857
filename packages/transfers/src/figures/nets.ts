import { LIMB } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'
import { createSums } from './sums.ts'

/** Received minus sent, by address ordinal. */
export type Nets = {
  /** Whether the address sent or received anything. */
  hasMoved(slot: number): boolean
  /** Exact net. */
  at(slot: number): bigint
  /** Approximates `at`, with the exact sign, and exactly below 2^53. Equal nets give equal numbers. */
  approximate(slot: number): number
  /** Sum of all values. */
  readonly volume: bigint
}

/** Above this the next addition of a lower limb may round. */
const SPILL = 2 ** 52
const LIMB_BITS = 48n

function hasUpperLimbs({ count, valueHigh, wideValues }: TransferColumns): boolean {
  if (wideValues.size > 0) return true
  for (let row = 0; row < count; row++) if (valueHigh[row] !== 0) return true
  return false
}

/**
 * Sums values that fit the lower limb, as most tokens' do. Random access to two addresses per row dominates the
 * time, so each address keeps a single number.
 */
function netNarrow({ count, from, to, valueLow, addressCount }: TransferColumns): Nets {
  const net = new Float64Array(addressCount)
  const moved = new Uint8Array(addressCount)
  const spilt = new Map<number, bigint>()
  const spill = (slot: number) => {
    spilt.set(slot, (spilt.get(slot) ?? 0n) + BigInt(net[slot] as number))
    net[slot] = 0
  }
  let lower = 0
  let upper = 0
  for (let row = 0; row < count; row++) {
    const value = valueLow[row] as number
    const sender = from[row] as number
    const recipient = to[row] as number
    moved[sender] = 1
    moved[recipient] = 1
    const less = (net[sender] as number) - value
    net[sender] = less
    if (less < -SPILL) spill(sender)
    const more = (net[recipient] as number) + value
    net[recipient] = more
    if (more > SPILL) spill(recipient)
    lower += value
    if (lower >= LIMB) {
      lower -= LIMB
      upper++
    }
  }
  const at = (slot: number) => (spilt.get(slot) ?? 0n) + BigInt(net[slot] ?? 0)
  return {
    hasMoved: (slot) => moved[slot] === 1,
    at,
    approximate: (slot) => (spilt.size > 0 && spilt.has(slot) ? Number(at(slot)) : (net[slot] as number)),
    volume: (BigInt(upper) << LIMB_BITS) + BigInt(lower),
  }
}

function netWide(columns: TransferColumns): Nets {
  const { count, from, to, addressCount } = columns
  const sent = createSums(columns, addressCount)
  const received = createSums(columns, addressCount)
  const moved = new Uint8Array(addressCount)
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    moved[sender] = 1
    moved[recipient] = 1
    sent.add(sender, row)
    received.add(recipient, row)
  }
  return {
    hasMoved: (slot) => moved[slot] === 1,
    at: (slot) => received.at(slot) - sent.at(slot),
    approximate: (slot) => received.approximateLess(sent, slot),
    volume: sent.total(),
  }
}

/** Sums what each address gained and lost, exactly. */
export function sumNets(columns: TransferColumns): Nets {
  return hasUpperLimbs(columns) ? netWide(columns) : netNarrow(columns)
}
