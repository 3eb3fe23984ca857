import { BURN_ADDRESSES } from '@touchstone402/shared'
import type { TransferColumns } from '../types.ts'
import { findAddress } from './columns.ts'

const ZERO = `0x${'0'.repeat(40)}`

/** Returns the ordinals of the burn addresses among the addresses. */
export function findBurnOrdinals(columns: TransferColumns): ReadonlySet<number> {
  const ordinals = [...BURN_ADDRESSES].map((address) => findAddress(columns, address))
  return new Set(ordinals.filter((ordinal) => ordinal >= 0))
}

/** Returns the ordinal of the zero address, or -1. */
export function findZero(columns: TransferColumns): number {
  return findAddress(columns, ZERO)
}
