import {
  type CodedEntry,
  compareBytes,
  createByteReader,
  MAX_OFFERS,
  type MapBody,
  type MapEntry,
  type PriceRow,
  plainReceiver,
  readEntry,
  readPriceRow,
  readReceiver,
  readTermClass,
  readTexts,
  rowOf,
  type TableName,
  type TermClass,
  writeEntry,
} from '@touchstone402/shared/map'
import {
  createByteWriter,
  writePriceRow,
  writeReceiver,
  writeTermClass,
  writeTexts,
} from '@touchstone402/shared/map-write'
import { createRowTable, type RowTable } from './rowTable.ts'

/** The tables of a map in the making. */
export type MapTables = {
  readonly classes: RowTable<TermClass>
  readonly receivers: RowTable<string>
  readonly prices: RowTable<PriceRow>
  readonly sites: RowTable<readonly string[]>
} & {
  /** Encodes an entry under another expiry, and counts it as a user of its rows. */
  encode(entry: MapEntry, expirySlot: number): Uint8Array
  /** Whether an entry has this value already, under another expiry. Counts no user. */
  isValue(value: Uint8Array, entry: MapEntry, expirySlot: number): boolean
  /** Counts an encoded entry as a user of its rows. */
  keep(value: Uint8Array): void
  /** Counts an encoded entry as gone. */
  release(value: Uint8Array): void
}

/** Creates the tables. @param from the map that goes on, whose rows keep their numbers */
export function createMapTables(version: () => number, from?: MapBody): MapTables {
  const rowsOf = (name: TableName): Uint8Array[] =>
    from === undefined
      ? []
      : Array.from({ length: from.tables[name].count }, (_, row) =>
          rowOf(from.bytes, from.tables[name], row).slice(),
        )
  const classes = createRowTable<TermClass>({
    version,
    // Sellers choose these texts, so they are told apart by their lengths.
    nameOf: ({ scheme, network, asset, method }) =>
      `${scheme.length} ${network.length} ${asset.length} ${scheme}${network}${asset}${method}`,
    encode: writeTermClass,
    decode: readTermClass,
    initial: rowsOf('classes'),
  })
  const receivers = createRowTable<string>({
    version,
    nameOf: plainReceiver,
    encode: writeReceiver,
    decode: readReceiver,
    initial: rowsOf('receivers'),
  })
  const prices = createRowTable<PriceRow>({
    version,
    nameOf: ({ class: number, amountAtomicMin, amountAtomicMax }) =>
      `${number} ${amountAtomicMin} ${amountAtomicMax}`,
    encode: writePriceRow,
    decode: readPriceRow,
    initial: rowsOf('prices'),
  })
  const sites = createRowTable<readonly string[]>({
    version,
    nameOf: JSON.stringify,
    encode: writeTexts,
    decode: readTexts,
    initial: rowsOf('sites'),
  })
  /** Class of each row of prices. */
  const classIn = prices.rows.map((row) => readPriceRow(row).class)
  for (const number of classIn) classes.keep(number)

  // Reused, since most entries are as they were.
  const writer = createByteWriter(24)
  // A row of prices counts as one user of its class, however many entries name it.
  const counted = new Set<number>(prices.rows.keys())
  const takePrice = (offer: MapEntry['offers'][number]): number => {
    const known = classes.take(offer)
    const row = prices.take({
      class: known,
      amountAtomicMin: offer.amountAtomicMin,
      amountAtomicMax: offer.amountAtomicMax,
    })
    if (counted.has(row)) classes.release(known)
    else counted.add(row)
    classIn[row] = known
    return row
  }
  const releasePrice = (row: number) => {
    const number = classIn[row] ?? 0
    if (prices.release(row) && counted.delete(row)) classes.release(number)
  }
  const each = (value: Uint8Array, use: (entry: CodedEntry) => void) =>
    use(readEntry(createByteReader(value), 0))

  return {
    classes,
    receivers,
    prices,
    sites,
    encode({ offers, resourceHosts, ...entry }, expirySlot) {
      writer.clear()
      writeEntry(writer, {
        ...entry,
        expirySlot,
        site: resourceHosts && sites.take(resourceHosts),
        offers: offers.slice(0, MAX_OFFERS).map((offer) => ({
          receiver: receivers.take(offer.payTo),
          price: takePrice(offer),
        })),
      })
      return writer.bytes()
    },
    isValue(value, { offers, resourceHosts, ...entry }, expirySlot) {
      const site = resourceHosts && sites.find(resourceHosts)
      if (resourceHosts !== undefined && site === undefined) return false
      const rows: { receiver: number; price: number }[] = []
      for (const { payTo, amountAtomicMin, amountAtomicMax, ...terms } of offers.slice(0, MAX_OFFERS)) {
        const receiver = receivers.find(payTo)
        const number = classes.find(terms)
        if (receiver === undefined || number === undefined) return false
        const price = prices.find({ class: number, amountAtomicMin, amountAtomicMax })
        if (price === undefined) return false
        rows.push({ receiver, price })
      }
      writer.clear()
      writeEntry(writer, { ...entry, expirySlot, site, offers: rows })
      return writer.length() === value.length && compareBytes(writer.bytes(), 0, value, 0, value.length) === 0
    },
    keep(value) {
      each(value, ({ site, offers }) => {
        if (site !== undefined) sites.keep(site)
        for (const { receiver, price } of offers) {
          receivers.keep(receiver)
          prices.keep(price)
        }
      })
    },
    release(value) {
      each(value, ({ site, offers }) => {
        if (site !== undefined) sites.release(site)
        for (const { receiver, price } of offers) {
          receivers.release(receiver)
          releasePrice(price)
        }
      })
    },
  }
}
