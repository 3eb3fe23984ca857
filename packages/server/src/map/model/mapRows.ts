import { MAX_OFFERS, type MapBody, type MapEntry, NO_ROW, rowOf } from '@touchstone402/shared/map'
import {
  decodeRow,
  encodeRow,
  readList,
  readPrice,
  readRows,
  writeList,
  writePrice,
  writeReceiver,
  writeTermClass,
  writeValue,
} from '@touchstone402/shared/map-write'

/** Rows that the entries of a map share. A row keeps its number while anything names it, so that diffs stay small. */
export type MapRows = {
  /** By number; a row that nothing names stays until another takes its number. */
  readonly rows: Uint8Array[]
  /** Version in which each row was last set. */
  readonly setIn: number[]
  /** Encodes an entry under another expiry, with rows for all that it names. Counts no user. */
  encode(entry: MapEntry, expirySlot: number): Uint8Array
  /** Counts a value as a user of its rows. */
  keep(value: Uint8Array): void
  /** Counts a value as gone. */
  release(value: Uint8Array): void
}

/** Creates the rows. @param from the map that goes on, whose rows keep their numbers */
export function createMapRows(version: () => number, from?: MapBody): MapRows {
  const rows = from === undefined ? [] : Array.from(from.rowAt, (_, row) => rowOf(from, row).slice())
  const setIn = rows.map(version)
  const users = rows.map(() => 0)
  const texts: (string | undefined)[] = rows.map(decodeRow)
  const numbers = new Map(texts.map((text, number) => [text, number]))
  const free: number[] = []

  const use = (number: number) => {
    users[number] = (users[number] ?? 0) + 1
  }
  const leave = (number: number) => {
    const left = (users[number] ?? 0) - 1
    users[number] = left
    const text = texts[number]
    if (left > 0 || text === undefined) return
    // Its text no longer finds it, or a row could be found and reused at the same time. Another may have the text by now.
    if (numbers.get(text) === number) numbers.delete(text)
    texts[number] = undefined
    free.push(number)
    for (const other of namedIn(text)) leave(other)
  }
  /** Returns the number of a row. A new one uses the rows that it names. */
  const put = (text: string): number => {
    const known = numbers.get(text)
    if (known !== undefined) return known
    const number = free.pop() ?? rows.length
    rows[number] = encodeRow(text)
    setIn[number] = version()
    users[number] = 0
    texts[number] = text
    numbers.set(text, number)
    for (const other of namedIn(text)) use(other)
    return number
  }
  for (const text of numbers.keys()) for (const other of namedIn(text ?? '')) use(other)

  const putOffer = (offer: MapEntry['offers'][number]): [number, number] => {
    const { amountAtomicMin, amountAtomicMax } = offer
    const price = writePrice({ class: put(writeTermClass(offer)), amountAtomicMin, amountAtomicMax })
    return [put(writeReceiver(offer.payTo)), put(price)]
  }
  const rowsOf = (value: Uint8Array) => readRows(value, 0).filter((row) => row !== NO_ROW)

  return {
    rows,
    setIn,
    encode({ offers, resourceHosts: hosts = [], delivered, ...entry }, expirySlot) {
      const numbersOf = offers.slice(0, MAX_OFFERS).map(putOffer)
      const [only = [NO_ROW, NO_ROW], ...others] = numbersOf
      const isPlain = hosts.length === 0 && others.length === 0 && delivered === undefined
      const named: [number, number] = isPlain
        ? only
        : [put(writeList({ hosts, offers: numbersOf, delivered })), NO_ROW]
      return writeValue({ ...entry, expirySlot, rows: named })
    },
    keep: (value) => rowsOf(value).forEach(use),
    release: (value) => rowsOf(value).forEach(leave),
  }
}

/** Returns the rows that a row names: a price its class, a list its receivers and prices. */
function namedIn(text: string): number[] {
  if (text.startsWith('{')) return readList(text).offers.flat()
  return /^\[\d/.test(text) ? [readPrice(text).class] : []
}
