import type { TransferColumns } from '../../ports/chain.ts'
import { LIMB } from './columns.ts'
import { createSums, type Sums } from './sums.ts'

/** What each address, by ordinal, sent and received, and how often. */
export type Parties = {
  readonly sent: Sums
  readonly received: Sums
  readonly outCount: Uint32Array
  readonly inCount: Uint32Array
}

const hasUpperLimbs = ({ count, valueHigh, wideValues }: TransferColumns): boolean => {
  if (wideValues.size > 0) return true
  for (let row = 0; row < count; row++) if (valueHigh[row] !== 0) return true
  return false
}

/** Numbers of one address in the table of `sumNarrow`: four of them share a line of the processor's cache. */
const STRIDE = 4

/** Most tokens' values fit the lower limb: then the upper one is touched by carries only. */
const sumNarrow = (columns: TransferColumns, { sent, received, outCount, inCount }: Parties): void => {
  const { count, from, to, valueLow, addressCount } = columns
  const table = new Float64Array(addressCount * STRIDE)
  for (let row = 0; row < count; row++) {
    const value = valueLow[row] as number
    const sender = from[row] as number
    const recipient = to[row] as number
    const out = (table[sender * STRIDE] as number) + value
    table[sender * STRIDE] = out
    table[sender * STRIDE + 1] = (table[sender * STRIDE + 1] as number) + 1
    if (out >= LIMB) {
      table[sender * STRIDE] = out - LIMB
      sent.limbs.high[sender] = (sent.limbs.high[sender] as number) + 1
    }
    const income = (table[recipient * STRIDE + 2] as number) + value
    table[recipient * STRIDE + 2] = income
    table[recipient * STRIDE + 3] = (table[recipient * STRIDE + 3] as number) + 1
    if (income >= LIMB) {
      table[recipient * STRIDE + 2] = income - LIMB
      received.limbs.high[recipient] = (received.limbs.high[recipient] as number) + 1
    }
  }
  for (let slot = 0, at = 0; slot < addressCount; slot++, at += STRIDE) {
    sent.limbs.low[slot] = table[at] as number
    outCount[slot] = table[at + 1] as number
    received.limbs.low[slot] = table[at + 2] as number
    inCount[slot] = table[at + 3] as number
  }
}

/** Sums what each address sent and received. Exact. */
export const sumParties = (columns: TransferColumns): Parties => {
  const { count, from, to, addressCount: size } = columns
  const parties: Parties = {
    sent: createSums(columns, size),
    received: createSums(columns, size),
    outCount: new Uint32Array(size),
    inCount: new Uint32Array(size),
  }
  if (!hasUpperLimbs(columns)) {
    sumNarrow(columns, parties)
    return parties
  }
  const { sent, received, outCount, inCount } = parties
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    outCount[sender] = (outCount[sender] as number) + 1
    inCount[recipient] = (inCount[recipient] as number) + 1
    sent.add(sender, row)
    received.add(recipient, row)
  }
  return parties
}
