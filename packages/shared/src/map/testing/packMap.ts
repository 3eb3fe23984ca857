import {
  createByteReader,
  headOf,
  type MapEntry,
  mapKeyOf,
  readMapBody,
  skipEntry,
  TABLES,
  type TableName,
  writeEntry,
} from '../index.ts'
import {
  createByteWriter,
  createRiceWriter,
  writeBodyStart,
  writePriceRow,
  writeReceiver,
  writeTable,
  writeTermClass,
  writeTexts,
} from '../write/index.ts'

type Tables = Record<TableName, Uint8Array[]>
type PackOptions = { baseSlot: number; tables?: Tables; repeat?: number }

/** Packs a map in the plainest way, as the reference of the tests. Rows of given tables keep their numbers. */
export function packMap(
  entries: Readonly<Record<string, MapEntry>>,
  { baseSlot, repeat = 1, ...given }: PackOptions,
) {
  const tables: Tables = { classes: [], receivers: [], prices: [], sites: [] }
  for (const name of TABLES) tables[name].push(...(given.tables?.[name] ?? []))
  const row = (name: TableName, bytes: Uint8Array): number => {
    const known = tables[name].findIndex((other) => Buffer.compare(other, bytes) === 0)
    return known < 0 ? tables[name].push(bytes) - 1 : known
  }
  const coded = Object.entries(entries)
    .flatMap(([url, entry]) => Array.from({ length: repeat }, () => ({ key: mapKeyOf(url), entry })))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ key, entry: { resourceHosts, offers, ...entry } }) => {
      const value = createByteWriter()
      writeEntry(value, {
        ...entry,
        site: resourceHosts && row('sites', writeTexts(resourceHosts)),
        offers: offers.map(({ payTo, amountAtomicMin, amountAtomicMax, ...terms }) => ({
          receiver: row('receivers', writeReceiver(payTo)),
          price: row(
            'prices',
            writePriceRow({ class: row('classes', writeTermClass(terms)), amountAtomicMin, amountAtomicMax }),
          ),
        })),
      })
      return { key, value: value.bytes() }
    })
  const writer = createByteWriter()
  writeBodyStart(writer, coded.length, baseSlot)
  for (const name of TABLES) writeTable(writer, tables[name])
  const heads = createRiceWriter(coded.length)
  for (const { key } of coded) heads.put(headOf(key))
  const bits = heads.finish()
  writer.varint(bits.length)
  writer.put(bits)
  for (const { key } of coded) writer.put(key.subarray(4))
  for (const { value } of coded) writer.put(value)
  /** Returns what changed since older tables. */
  const changedRows = (older: Tables) => {
    const change = (name: TableName) => ({
      count: tables[name].length,
      rows: tables[name].flatMap((bytes, at) => (at < older[name].length ? [] : [{ row: at, bytes }])),
    })
    return {
      classes: change('classes'),
      receivers: change('receivers'),
      prices: change('prices'),
      sites: change('sites'),
    }
  }
  return { bytes: writer.bytes(), tables, changedRows }
}

/** Returns the bytes of one entry of a packed map. */
export function valueBytes(bytes: Uint8Array, index: number): Uint8Array {
  const body = readMapBody(bytes)
  const { receivers, prices, sites } = body.tables
  const reader = createByteReader(bytes, body.valueAt[index])
  skipEntry(reader, { receivers: receivers.count, prices: prices.count, sites: sites.count })
  return bytes.slice(body.valueAt[index], reader.at)
}
