import { createByteReader } from './byteReader.ts'
import type { MapOffer } from './mapEntry.ts'
import { MapFormatError } from './mapError.ts'

/** What offers of many sellers share. */
export type TermClass = Pick<MapOffer, 'scheme' | 'network' | 'asset' | 'method'>
/** The least and the greatest amount under one class of terms, by the row of the class. */
export type PriceRow = Pick<MapOffer, 'amountAtomicMin' | 'amountAtomicMax'> & { class: number }

export const MAX_TEXT_BYTES = 512
const MAX_AMOUNT_BYTES = 33
const MAX_HOSTS = 64
export const EVM_ADDRESS = /^0x[0-9a-f]{40}$/
export const ADDRESS_FORM = 0
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += HEX[byte]
  return digits
}

// Exact as a number.
const SMALL_AMOUNT_BYTES = 6
export const TEXT_FORM = 1
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws MapFormatError */
export function readTexts(row: Uint8Array): string[] {
  const reader = createByteReader(row)
  const texts: string[] = []
  while (reader.left() > 0) {
    const length = reader.varint()
    if (length > MAX_TEXT_BYTES || texts.length >= MAX_HOSTS) throw new MapFormatError('texts')
    texts.push(decodeText(reader.take(length)))
  }
  return texts
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new MapFormatError('texts')
  }
}

/** @throws MapFormatError */
export function readTermClass(row: Uint8Array): TermClass {
  const texts = readTexts(row)
  if (texts.length !== 4) throw new MapFormatError('classes')
  const [scheme, network, asset, method] = texts as [string, string, string, string]
  return { scheme, network, asset, method }
}

/** Returns a receiver as a reader of the map sees it: the letter case of an address of EVM chains means nothing. */
export function plainReceiver(payTo: string): string {
  const lower = payTo.toLowerCase()
  return EVM_ADDRESS.test(lower) ? lower : payTo
}

/** @throws MapFormatError */
export function readReceiver(row: Uint8Array): string {
  const reader = createByteReader(row)
  const form = reader.byte()
  const rest = reader.take(reader.left())
  if (form === ADDRESS_FORM && rest.length === 20) return `0x${toHex(rest)}`
  if (form !== TEXT_FORM || rest.length > MAX_TEXT_BYTES) throw new MapFormatError('receivers')
  return decodeText(rest)
}

/** @throws MapFormatError */
export function readPriceRow(row: Uint8Array): PriceRow {
  const reader = createByteReader(row)
  const number = reader.varint()
  const [amountAtomicMin, amountAtomicMax] = [readAmount(), readAmount()]
  if (reader.left() > 0) throw new MapFormatError('prices')
  return { class: number, amountAtomicMin, amountAtomicMax }

  function readAmount(): string {
    const length = reader.byte()
    if (length === 0 || length > MAX_AMOUNT_BYTES) throw new MapFormatError('prices')
    const digits = reader.take(length)
    const amount = `0x${toHex(digits)}`
    return (length <= SMALL_AMOUNT_BYTES ? Number(amount) : BigInt(amount)).toString()
  }
}
