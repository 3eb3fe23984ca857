import { type MapEntry, mapKeyOf, NO_ROW, readMapBody } from '../index.ts'
import { RECORD_BYTES } from '../mapEntry.ts'
import { KEY_BYTES } from '../mapKey.ts'
import {
  encodeRow,
  writeList,
  writeMapBody,
  writePrice,
  writeReceiver,
  writeTermClass,
  writeValue,
} from '../write/index.ts'

type PackOptions = { baseSlot: number; rows?: readonly string[]; repeat?: number }

/** Packs a map in the plainest way, as the reference of the tests. Given rows keep their numbers. */
export function packMap(
  entries: Readonly<Record<string, MapEntry>>,
  { baseSlot, rows: given = [], repeat = 1 }: PackOptions,
) {
  const rows = [...given]
  const row = (text: string): number => {
    const known = rows.indexOf(text)
    return known < 0 ? rows.push(text) - 1 : known
  }
  const namedBy = ({ offers, resourceHosts: hosts = [], delivered }: MapEntry): [number, number] => {
    const numbers = offers.map((offer): [number, number] => {
      const { amountAtomicMin, amountAtomicMax } = offer
      const price = writePrice({ class: row(writeTermClass(offer)), amountAtomicMin, amountAtomicMax })
      return [row(writeReceiver(offer.payTo)), row(price)]
    })
    const [only] = numbers
    if (hosts.length > 0 || numbers.length > 1 || delivered !== undefined)
      return [row(writeList({ hosts, offers: numbers, delivered })), NO_ROW]
    return only ?? [NO_ROW, NO_ROW]
  }
  const records = Object.entries(entries)
    .flatMap(([url, entry]) => Array.from({ length: repeat }, () => ({ key: mapKeyOf(url), entry })))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ key, entry }) => Buffer.concat([key, writeValue({ ...entry, rows: namedBy(entry) })]))
  const bytes = writeMapBody({ baseSlot, records: Buffer.concat(records), rows: rows.map(encodeRow) })
  return { bytes, rows }
}

/** Returns one record of a packed map. */
export function recordOf(bytes: Uint8Array, index: number): Uint8Array {
  return readMapBody(bytes).records.slice(RECORD_BYTES * index, RECORD_BYTES * (index + 1))
}

/** Returns the value of one record of a packed map. */
export function valueBytes(bytes: Uint8Array, index: number): Uint8Array {
  return recordOf(bytes, index).slice(KEY_BYTES)
}
