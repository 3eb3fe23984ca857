import { MapFormatError } from '../mapError.ts'
import {
  ADDRESS_FORM,
  EVM_ADDRESS,
  MAX_TEXT_BYTES,
  type PriceRow,
  plainReceiver,
  TEXT_FORM,
  type TermClass,
} from '../mapRows.ts'
import { type ByteWriter, createByteWriter } from './byteWriter.ts'

const encoder = new TextEncoder()

const write = (fill: (writer: ByteWriter) => void): Uint8Array => {
  const writer = createByteWriter(64)
  fill(writer)
  return writer.bytes()
}

/** Encodes texts, each with its length. */
export function writeTexts(texts: readonly string[]): Uint8Array {
  return write((writer) => {
    for (const text of texts) {
      const bytes = encoder.encode(text)
      if (bytes.length > MAX_TEXT_BYTES)
        throw new MapFormatError(`expected texts of at most ${MAX_TEXT_BYTES} bytes`)
      writer.varint(bytes.length)
      writer.put(bytes)
    }
  })
}

export function writeTermClass({ scheme, network, asset, method }: TermClass): Uint8Array {
  return writeTexts([scheme, network, asset, method])
}

/** Encodes a receiver. Addresses of EVM chains become 20 bytes. */
export function writeReceiver(payTo: string): Uint8Array {
  return write((writer) => {
    const plain = plainReceiver(payTo)
    if (EVM_ADDRESS.test(plain)) {
      writer.byte(ADDRESS_FORM)
      for (let at = 2; at < plain.length; at += 2) writer.byte(Number.parseInt(plain.slice(at, at + 2), 16))
    } else {
      writer.byte(TEXT_FORM)
      writer.put(encoder.encode(payTo))
    }
  })
}

export function writePriceRow({ class: number, amountAtomicMin, amountAtomicMax }: PriceRow): Uint8Array {
  return write((writer) => {
    writer.varint(number)
    for (const amount of [amountAtomicMin, amountAtomicMax]) {
      const hex = BigInt(amount).toString(16)
      const even = hex.length % 2 === 0 ? hex : `0${hex}`
      writer.byte(even.length / 2)
      for (let at = 0; at < even.length; at += 2) writer.byte(Number.parseInt(even.slice(at, at + 2), 16))
    }
  })
}
