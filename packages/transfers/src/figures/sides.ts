import type { TransferColumns } from '../types.ts'
import { createSums } from './sums.ts'

/** Incoming and outgoing transfers of one address. */
export type Sides = {
  readonly in: bigint
  readonly out: bigint
  readonly inCount: number
  readonly outCount: number
  /** Distinct other addresses it received from or sent to. */
  readonly counterparties: number
}

/** Measures both sides of the given addresses, by ordinal, exactly. */
export function measureSides(columns: TransferColumns, slots: Iterable<number>): ReadonlyMap<number, Sides> {
  const { count, from, to } = columns
  const listed = [...new Set(slots)]
  const place = new Uint16Array(columns.addressCount)
  listed.forEach((slot, i) => {
    place[slot] = i + 1
  })
  const received = createSums(columns, listed.length)
  const sent = createSums(columns, listed.length)
  const inCount = new Uint32Array(listed.length)
  const outCount = new Uint32Array(listed.length)
  // A bitmap of all addresses per listed one is far cheaper than a set.
  const words = Math.ceil(columns.addressCount / 32)
  const met = listed.map(() => new Uint32Array(words))
  const parties = new Uint32Array(listed.length)
  const meet = (i: number, other: number) => {
    const bits = met[i] as Uint32Array
    const word = other >>> 5
    const held = bits[word] as number
    const bit = 1 << (other & 31)
    if ((held & bit) !== 0) return
    bits[word] = held | bit
    parties[i] = (parties[i] as number) + 1
  }
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    const a = place[sender] as number
    const b = place[recipient] as number
    if ((a | b) === 0) continue
    if (a > 0) {
      sent.add(a - 1, row)
      outCount[a - 1] = (outCount[a - 1] as number) + 1
      if (sender !== recipient) meet(a - 1, recipient)
    }
    if (b > 0) {
      received.add(b - 1, row)
      inCount[b - 1] = (inCount[b - 1] as number) + 1
      if (sender !== recipient) meet(b - 1, sender)
    }
  }
  return new Map(
    listed.map((slot, i) => [
      slot,
      {
        in: received.at(i),
        out: sent.at(i),
        inCount: inCount[i] ?? 0,
        outCount: outCount[i] ?? 0,
        counterparties: parties[i] ?? 0,
      },
    ]),
  )
}
