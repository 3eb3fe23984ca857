import type { TransferColumns } from '../../ports/chain.ts'

/** How many distinct addresses each of the given ones, by ordinal, received from or sent to. */
export const countCounterparties = (
  columns: TransferColumns,
  slots: readonly number[],
): ReadonlyMap<number, number> => {
  const { count, from, to } = columns
  const place = new Uint8Array(columns.addressCount)
  const listed = [...new Set(slots)]
  listed.forEach((slot, i) => {
    place[slot] = i + 1
  })
  // One bit an address for each listed one: far cheaper than a set of them.
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
    if ((a | b) === 0 || sender === recipient) continue
    if (a > 0) meet(a - 1, recipient)
    if (b > 0) meet(b - 1, sender)
  }
  return new Map(listed.map((slot, i) => [slot, parties[i] ?? 0]))
}
