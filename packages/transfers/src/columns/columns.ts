import { BURN_ADDRESSES } from '@touchstone402/shared'
import type { Address, Hex, TransferColumns } from '../types.ts'

const ZERO = `0x${'0'.repeat(40)}`

/** Weight of `valueHigh`. */
export const LIMB = 2 ** 48
const LIMB_BITS = 48n

/** Marks a `logIndex` whose row is a deposit or withdrawal instead of a transfer. No block has as many logs. */
export const SUPPLY_LOG = 2 ** 31

/** Whether a row is a deposit or withdrawal that the token logs instead of a transfer from or to the zero address. */
export function isSupplyLogAt(columns: TransferColumns, row: number): boolean {
  return (columns.logIndex[row] ?? 0) >= SUPPLY_LOG
}

/** Whether any row is a deposit or withdrawal. */
export function hasSupplyLogs({ logIndex, count }: TransferColumns): boolean {
  return logIndex.subarray(0, count).some((index) => index >= SUPPLY_LOG)
}

/** Returns the index of a row's log within its block. */
export function logIndexAt(columns: TransferColumns, row: number): number {
  return (columns.logIndex[row] ?? 0) % SUPPLY_LOG
}

/** Returns the value of a row, in the smallest unit. */
export function valueAt(columns: TransferColumns, row: number): bigint {
  const high = columns.valueHigh[row] ?? 0
  const low = columns.valueLow[row] ?? 0
  if (high !== 0) return (BigInt(high) << LIMB_BITS) + BigInt(low)
  if (low !== 0 || columns.wideValues.size === 0) return BigInt(low)
  return columns.wideValues.get(row) ?? 0n
}

/** Whether the value of a row is zero, without building a bigint. */
export function isZeroAt(columns: TransferColumns, row: number): boolean {
  return columns.valueLow[row] === 0 && columns.valueHigh[row] === 0 && !columns.wideValues.has(row)
}

/** Formats 32-bit words as hex. */
export function wordsToHex(words: Uint32Array | Int32Array, start: number, count: number): Hex {
  let text = ''
  for (let i = start; i < start + count; i++) text += ((words[i] ?? 0) >>> 0).toString(16).padStart(8, '0')
  return `0x${text}`
}

/** Returns the address with the given ordinal, in lower case. */
export function addressAt(columns: TransferColumns, ordinal: number): Address {
  return wordsToHex(columns.addressWords, ordinal * 5, 5)
}

/** Returns the hash of the transaction with the given ordinal. */
export function txHashAt(columns: TransferColumns, ordinal: number): Hex {
  return wordsToHex(columns.txWords, ordinal * 8, 8)
}

/** Returns the ordinal of an address, or -1. Scans all addresses. */
export function findAddress(columns: TransferColumns, address: string): number {
  const words = [0, 1, 2, 3, 4].map((i) => Number.parseInt(address.slice(2 + i * 8, 10 + i * 8), 16))
  const [w0, w1, w2, w3, w4] = words
  const all = columns.addressWords
  for (let at = 0; at < columns.addressCount * 5; at += 5) {
    if (
      all[at] === w0 &&
      all[at + 1] === w1 &&
      all[at + 2] === w2 &&
      all[at + 3] === w3 &&
      all[at + 4] === w4
    )
      return at / 5
  }
  return -1
}

/** Returns the ordinals of the burn addresses among the addresses. */
export function findBurnOrdinals(columns: TransferColumns): ReadonlySet<number> {
  const ordinals = [...BURN_ADDRESSES].map((address) => findAddress(columns, address))
  return new Set(ordinals.filter((ordinal) => ordinal >= 0))
}

/** Returns the ordinal of the zero address, or -1. */
export function findZero(columns: TransferColumns): number {
  return findAddress(columns, ZERO)
}
