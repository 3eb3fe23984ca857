import type { ByteReader } from './byteReader.ts'
import { MapFormatError } from './mapError.ts'
import type { ByteWriter } from './write/byteWriter.ts'

/** Terms of an offer as the service measured them. */
export type MapOffer = {
  scheme: string
  /** CAIP-2. */
  network: string
  asset: string
  payTo: string
  method: string
  amountAtomicMin: string
  amountAtomicMax: string
}

/** What the map holds of an endpoint. */
export type MapEntry = {
  verdict: 'safe' | 'caution' | 'avoid' | 'unknown'
  /** 0-100; absent if nothing was measured. */
  score?: number | undefined
  riskLevel: 'clean' | 'low' | 'medium' | 'high' | 'unknown'
  receiverStability: 'new' | 'stable' | 'changed' | null
  /** Whether the verdict rests on fewer than 3 probes. */
  isThin: boolean
  /** Whether the seller uses another receiver for each payment. */
  rotates: boolean
  /** Expiry in units of {@link SLOT_MS} since 1970. */
  expirySlot: number
  /** Other hosts that the resource of a challenge may name. */
  resourceHosts?: readonly string[] | undefined
  offers: readonly MapOffer[]
}

/** Unit of expiry: 6 hours in ms. */
export const SLOT_MS = 6 * 3_600_000
/** Most offers of an entry. */
export const MAX_OFFERS = 64

const VERDICTS = ['safe', 'caution', 'avoid', 'unknown'] as const
const RISKS = ['clean', 'low', 'medium', 'high', 'unknown'] as const
const STABILITIES = [null, 'new', 'stable', 'changed'] as const
const UNKNOWN = VERDICTS.indexOf('unknown')
const NO_SCORE = 127
const SLOTS = 256

/** An entry whose texts are numbers of table rows. */
export type CodedEntry = Omit<MapEntry, 'offers' | 'resourceHosts'> & {
  /** Row of the table of sites; absent without other hosts. */
  site?: number | undefined
  /** Rows of the tables of receivers and prices. */
  offers: readonly { receiver: number; price: number }[]
}

/** Numbers of rows that entries may name. */
export type RowCounts = { receivers: number; prices: number; sites: number }

/** Writes an entry: three bytes, then a number of offers and their rows. */
export function writeEntry(writer: ByteWriter, entry: CodedEntry): void {
  writer.byte(
    VERDICTS.indexOf(entry.verdict) |
      (RISKS.indexOf(entry.riskLevel) << 2) |
      (STABILITIES.indexOf(entry.receiverStability) << 5) |
      (entry.isThin ? 0x80 : 0),
  )
  writer.byte((entry.score ?? NO_SCORE) | (entry.rotates ? 0x80 : 0))
  writer.byte(entry.expirySlot % SLOTS)
  writer.varint(2 * entry.offers.length + (entry.site === undefined ? 0 : 1))
  if (entry.site !== undefined) writer.varint(entry.site)
  for (const { receiver, price } of entry.offers) {
    writer.varint(receiver)
    writer.varint(price)
  }
}

/**
 * Moves a reader behind an entry.
 * @throws MapFormatError if it is malformed or names a row that does not exist
 */
export function skipEntry(reader: ByteReader, rows: RowCounts): void {
  const first = reader.byte()
  const score = reader.byte() & 0x7f
  reader.byte()
  if (((first >> 2) & 7) >= RISKS.length) throw new MapFormatError('risk level')
  if (score > 100 && score !== NO_SCORE) throw new MapFormatError('score')
  const head = reader.varint()
  if ((head & 1) === 1 && reader.varint() >= rows.sites) throw new MapFormatError('sites')
  const offers = head >>> 1
  if (offers > MAX_OFFERS) throw new MapFormatError('offers')
  for (let left = offers; left > 0; left--) {
    if (reader.varint() >= rows.receivers || reader.varint() >= rows.prices) {
      throw new MapFormatError('offers')
    }
  }
}

/** Whether an entry has no verdict, by its first byte. */
export function isUnknown(first = 0): boolean {
  return (first & 3) === UNKNOWN
}

/** Reads an entry. @param baseSlot the earliest slot that the byte of the expiry can mean */
export function readEntry(reader: ByteReader, baseSlot: number): CodedEntry {
  const first = reader.byte()
  const second = reader.byte()
  const slot = reader.byte()
  const head = reader.varint()
  const site = (head & 1) === 1 ? reader.varint() : undefined
  const offers: { receiver: number; price: number }[] = []
  for (let left = head >>> 1; left > 0; left--)
    offers.push({ receiver: reader.varint(), price: reader.varint() })
  const score = second & 0x7f
  return {
    verdict: VERDICTS[first & 3] ?? 'unknown',
    riskLevel: RISKS[(first >> 2) & 7] ?? 'unknown',
    receiverStability: STABILITIES[(first >> 5) & 3] ?? null,
    isThin: first >= 0x80,
    score: score === NO_SCORE ? undefined : score,
    rotates: second >= 0x80,
    expirySlot: slotOf(slot, baseSlot),
    site,
    offers,
  }
}

/** Returns the slot that a byte means: the first at or after the base with that remainder. */
export function slotOf(byte: number, baseSlot: number): number {
  return baseSlot + ((byte - (baseSlot % SLOTS) + SLOTS) % SLOTS)
}
