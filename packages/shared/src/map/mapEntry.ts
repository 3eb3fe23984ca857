import { MapFormatError } from './mapError.ts'
import { KEY_BYTES } from './mapKey.ts'

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

/** A test purchase that was delivered. */
export type MapDelivery = { month: string; paidUsd: number }

/** Map entry of an endpoint. */
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
  /** The last test purchase, if it was delivered: its month, `YYYY-MM`, and the dollars that were paid. */
  delivered?: MapDelivery | undefined
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
const NO_SCORE = 127
const SLOTS = 256

/**
 * Bytes of a value: two of a verdict, one of its expiry, and two numbers of rows of three bytes each: receiver and price
 * of the only offer; or the row of a list and {@link NO_ROW}; or twice `NO_ROW` without any offer.
 */
export const VALUE_BYTES = 9
/** Bytes of a record: a key and its value. */
export const RECORD_BYTES = KEY_BYTES + VALUE_BYTES
/** Stands for no row; numbers of rows are below. */
export const NO_ROW = 0xffffff
const ROWS_AT = 3

/** An entry whose terms are numbers of rows. */
export type CodedEntry = Omit<MapEntry, keyof EntryTerms> & { rows: readonly [number, number] }

/** Encodes a value. */
export function writeValue(entry: CodedEntry): Uint8Array<ArrayBuffer> {
  const value = new Uint8Array(VALUE_BYTES)
  value[0] =
    VERDICTS.indexOf(entry.verdict) |
    (RISKS.indexOf(entry.riskLevel) << 2) |
    (STABILITIES.indexOf(entry.receiverStability) << 5) |
    (entry.isThin ? 0x80 : 0)
  value[1] = (entry.score ?? NO_SCORE) | (entry.rotates ? 0x80 : 0)
  value[2] = entry.expirySlot % SLOTS
  for (const [index, row] of entry.rows.entries()) writeNumber(value, ROWS_AT + 3 * index, row)
  return value
}

/**
 * Checks a value.
 * @param rows number of rows that there are
 * @throws MapFormatError
 */
export function checkValue(bytes: Uint8Array, at: number, rows: number): void {
  const score = (bytes[at + 1] as number) & 0x7f
  if ((((bytes[at] as number) >> 2) & 7) >= RISKS.length) throw new MapFormatError('risk level')
  if (score > 100 && score !== NO_SCORE) throw new MapFormatError('score')
  for (const part of [0, 3]) {
    const row = readNumber(bytes, at + ROWS_AT + part)
    if (row >= rows && row !== NO_ROW) throw new MapFormatError('rows')
  }
}

/** Whether a value has no verdict. */
export function isUnknown(bytes: Uint8Array, at: number): boolean {
  return VERDICTS[(bytes[at] as number) & 3] === 'unknown'
}

/** Fields of an entry that its rows hold. */
export type EntryTerms = Pick<MapEntry, 'offers' | 'resourceHosts' | 'delivered'>

/** Reads a value, all but its rows. @param baseSlot the earliest slot that the byte of the expiry can mean */
export function readValue(
  bytes: Uint8Array,
  at: number,
  baseSlot: number,
  { offers, resourceHosts, delivered }: EntryTerms,
): MapEntry {
  const [first, second] = [bytes[at] as number, bytes[at + 1] as number]
  const score = second & 0x7f
  return {
    verdict: VERDICTS[first & 3] ?? 'unknown',
    riskLevel: RISKS[(first >> 2) & 7] ?? 'unknown',
    receiverStability: STABILITIES[(first >> 5) & 3] ?? null,
    isThin: first >= 0x80,
    score: score === NO_SCORE ? undefined : score,
    rotates: second >= 0x80,
    expirySlot: readSlot(bytes, at, baseSlot),
    resourceHosts,
    delivered,
    offers,
  }
}

/** Reads the slot of a value: the first at or after the base with its remainder. */
export function readSlot(bytes: Uint8Array, at: number, baseSlot: number): number {
  return baseSlot + (((bytes[at + 2] as number) - (baseSlot % SLOTS) + SLOTS) % SLOTS)
}

/** Reads the numbers of rows of a value. */
export function readRows(bytes: Uint8Array, at: number): [number, number] {
  return [readNumber(bytes, at + ROWS_AT), readNumber(bytes, at + ROWS_AT + 3)]
}

/** Reads a number of three bytes, the most significant first. */
export function readNumber(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}

/** Writes a number of three bytes, the most significant first. */
export function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 16
  bytes[at + 1] = value >> 8
  bytes[at + 2] = value
}
