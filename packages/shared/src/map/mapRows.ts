import { isRecord } from '../base64Json.ts'
import { MAX_OFFERS, type MapDelivery, type MapOffer } from './mapEntry.ts'
import { MapFormatError } from './mapError.ts'

/** Terms shared by offers of many sellers. */
export type TermClass = Pick<MapOffer, 'scheme' | 'network' | 'asset' | 'method'>
/** The least and the greatest amount under one class of terms, by the row of the class. */
export type PriceRow = Pick<MapOffer, 'amountAtomicMin' | 'amountAtomicMax'> & { class: number }
/**
 * Several offers, by the rows of their receivers and prices, other hosts of the resource, and a delivery. Readers from
 * before deliveries were stated ignore them.
 */
export type ListRow = {
  hosts: readonly string[]
  offers: readonly (readonly [number, number])[]
  delivered?: MapDelivery | undefined
}

const MAX_HOSTS = 64
const ADDRESS_BYTES = 20
const ADDRESS = /^0x[0-9a-f]{40}$/
const AMOUNT = /^(0|[1-9][0-9]{0,132})$/
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += HEX[byte]
  return digits
}

/** Decodes a row: the address of an EVM chain if it has 20 bytes, else JSON. @throws MapFormatError */
export function decodeRow(bytes: Uint8Array): string {
  return bytes.length === ADDRESS_BYTES
    ? `0x${toHex(bytes)}`
    : refuseOr(() => decoder.decode(bytes).trimEnd())
}

/** Encodes a row. */
export function encodeRow(text: string): Uint8Array<ArrayBuffer> {
  if (ADDRESS.test(text)) {
    return Uint8Array.from({ length: ADDRESS_BYTES }, (_, at) =>
      Number.parseInt(text.substr(2 + 2 * at, 2), 16),
    )
  }
  const bytes = new TextEncoder().encode(text)
  return bytes.length === ADDRESS_BYTES ? new TextEncoder().encode(`${text} `) : bytes
}

/** Returns a receiver as a row. The letter case of an address of EVM chains means nothing. */
export function writeReceiver(payTo: string): string {
  const lower = payTo.toLowerCase()
  return ADDRESS.test(lower) ? lower : JSON.stringify(payTo)
}

/** @throws MapFormatError */
export function readReceiver(row: string): string {
  if (row.startsWith('0x')) return row
  const payTo = parse(row)
  if (typeof payTo !== 'string') throw new MapFormatError('receivers')
  return payTo
}

export function writeTermClass({ scheme, network, asset, method }: TermClass): string {
  return JSON.stringify([scheme, network, asset, method])
}

/** @throws MapFormatError */
export function readTermClass(row: string): TermClass {
  const texts = parse(row)
  if (!isTexts(texts) || texts.length !== 4) throw new MapFormatError('classes')
  const [scheme, network, asset, method] = texts as [string, string, string, string]
  return { scheme, network, asset, method }
}

export function writePrice({ class: row, amountAtomicMin: least, amountAtomicMax: most }: PriceRow): string {
  return JSON.stringify(least === most ? [row, least] : [row, least, most])
}

/** @throws MapFormatError */
export function readPrice(row: string): PriceRow {
  const parts = parse(row)
  if (!Array.isArray(parts)) throw new MapFormatError('prices')
  const [number, least, most = least] = parts
  if (!isRow(number) || !isAmount(least) || !isAmount(most)) throw new MapFormatError('prices')
  return { class: number, amountAtomicMin: least, amountAtomicMax: most }
}

export function writeList({ hosts, offers, delivered }: ListRow): string {
  return JSON.stringify({ hosts, offers, delivered: delivered && [delivered.month, delivered.paidUsd] })
}

/** @throws MapFormatError */
export function readList(row: string): ListRow {
  const list = parse(row)
  if (!isRecord(list)) throw new MapFormatError('lists')
  const { hosts, offers, delivered } = list
  if (!isTexts(hosts) || hosts.length > MAX_HOSTS) throw new MapFormatError('lists')
  if (!Array.isArray(offers) || offers.length > MAX_OFFERS || !offers.every(isPair)) {
    throw new MapFormatError('lists')
  }
  return { hosts, offers, delivered: readDelivered(delivered) }
}

/** Reads a delivery. A form that later versions may write states none. */
function readDelivered(value: unknown): MapDelivery | undefined {
  const [month, paidUsd] = Array.isArray(value) ? value : []
  return typeof month === 'string' && Number.isFinite(paidUsd) ? { month, paidUsd } : undefined
}

const parse = (row: string): unknown => refuseOr(() => JSON.parse(row))
const isRow = (value: unknown): value is number => Number.isInteger(value)
const isAmount = (value: unknown): value is string => typeof value === 'string' && AMOUNT.test(value)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
const isPair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isRow)

function refuseOr<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw new MapFormatError('rows')
  }
}
