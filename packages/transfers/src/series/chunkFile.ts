import { crc32 } from 'node:zlib'
import type { AddressTable } from '../columns/addressTable.ts'
import type { RowColumns } from '../columns/rowStore.ts'
import type { BlockRange, Hex, TransferColumns } from '../types.ts'

/** Header of a chunk file. */
export type ChunkHeader = {
  readonly version: 1
  readonly chainId: number
  /** Token and filter of the rows. */
  readonly series: string
  readonly range: BlockRange
  /** Hash of the last block of the range. */
  readonly endHash: Hex
  /** Time (Unix, in ms) of the only reading of the rows; null once a second one agreed. Missing in older files. */
  readonly readAt?: number | null
  readonly count: number
  readonly txCount: number
  readonly addressCount: number
  /** Rows with a value above 96 bits, with the value in decimal. */
  readonly wide: readonly (readonly [number, string])[]
}

/** Columns of a file, in order. */
const LAYOUT = [
  ['valueLow', Float64Array],
  ['valueHigh', Float64Array],
  ['block', Uint32Array],
  ['logIndex', Uint32Array],
  ['tx', Uint32Array],
  ['from', Uint32Array],
  ['to', Uint32Array],
] as const
const MAGIC = Buffer.from('TSTRFR01')
const HEADER_LIMIT = 64 * 1024 * 1024

const bytesOf = (column: Uint32Array | Float64Array, count: number): Buffer =>
  Buffer.from(column.buffer, column.byteOffset, count * column.BYTES_PER_ELEMENT)

/**
 * Encodes columns as a file: magic, checksum, header length, header, then each column as little-endian numbers.
 * Renumbers the addresses, so that the file holds only those in use.
 */
export function encodeChunk(
  columns: TransferColumns,
  about: Pick<ChunkHeader, 'chainId' | 'series' | 'range' | 'endHash' | 'readAt'>,
): Buffer {
  const { count, txCount } = columns
  const local = new Int32Array(columns.addressCount).fill(-1)
  const words: number[] = []
  const renumber = (ordinals: Uint32Array): Uint32Array =>
    Uint32Array.from({ length: count }, (_, row) => {
      const ordinal = ordinals[row] ?? 0
      const known = local[ordinal] ?? -1
      if (known >= 0) return known
      const next = words.length / 5
      local[ordinal] = next
      for (let i = 0; i < 5; i++) words.push(columns.addressWords[ordinal * 5 + i] ?? 0)
      return next
    })
  const from = renumber(columns.from)
  const to = renumber(columns.to)
  const header: ChunkHeader = {
    version: 1,
    ...about,
    count,
    txCount,
    addressCount: words.length / 5,
    wide: [...columns.wideValues]
      .filter(([row]) => row < count)
      .map(([row, value]) => [row, value.toString()]),
  }
  const head = Buffer.from(JSON.stringify(header))
  // Aligns the columns to eight bytes.
  const padding = Buffer.alloc((8 - ((16 + head.length) % 8)) % 8, 0x20)
  const headLength = Buffer.alloc(4)
  headLength.writeUInt32LE(head.length + padding.length)
  const body = [
    headLength,
    head,
    padding,
    ...LAYOUT.map(([name]) => bytesOf({ ...columns, from, to }[name], count)),
    bytesOf(columns.txWords, txCount * 8),
    bytesOf(Uint32Array.from(words), words.length),
  ]
  const checksum = Buffer.alloc(4)
  // The checksum of nothing is 0, whatever it continues.
  const parts = body.filter((part) => part.length > 0)
  checksum.writeUInt32LE(parts.reduce((sum, part) => crc32(part, sum), 0))
  return Buffer.concat([MAGIC, checksum, ...body])
}

function isHeader(value: unknown): value is ChunkHeader {
  const header = value as Partial<ChunkHeader> | null
  return (
    typeof header === 'object' &&
    header !== null &&
    header.version === 1 &&
    [header.count, header.txCount, header.addressCount, header.range?.from, header.range?.to].every(
      (n) => Number.isSafeInteger(n) && (n ?? -1) >= 0,
    ) &&
    Array.isArray(header.wide)
  )
}

/** Reads the header of a chunk without verifying the checksum; null if it is invalid. */
export function readChunkHeader(file: Buffer): ChunkHeader | null {
  if (file.length < 16 || !file.subarray(0, 8).equals(MAGIC)) return null
  const length = file.readUInt32LE(12)
  if (length > HEADER_LIMIT || 16 + length > file.length) return null
  try {
    const header: unknown = JSON.parse(file.toString('utf8', 16, 16 + length))
    return isHeader(header) ? header : null
  } catch {
    return null
  }
}

/** Decodes a chunk file and interns its addresses; null if it is damaged. */
export function decodeChunk(file: Buffer, addresses: AddressTable): TransferColumns | null {
  const header = readChunkHeader(file)
  if (header === null || file.readUInt32LE(8) !== crc32(file.subarray(12))) return null
  const { count, txCount, addressCount } = header
  let at = 16 + file.readUInt32LE(12)
  if (file.length !== at + count * 36 + txCount * 32 + addressCount * 20) return null
  // Copies each column, because the bytes of the file may not be aligned.
  const take = (bytes: number): ArrayBuffer => {
    const part = new Uint8Array(bytes)
    part.set(file.subarray(at, at + bytes))
    at += bytes
    return part.buffer
  }
  const columns = Object.fromEntries(
    LAYOUT.map(([name, Column]) => [name, new Column(take(count * Column.BYTES_PER_ELEMENT))]),
  ) as RowColumns
  const txWords = new Uint32Array(take(txCount * 32))
  const words = new Uint32Array(take(addressCount * 20))
  const ordinals = new Uint32Array(addressCount)
  addresses.internAll(new Int32Array(words.buffer), addressCount, ordinals)
  for (let row = 0; row < count; row++) {
    columns.from[row] = ordinals[columns.from[row] ?? 0] ?? 0
    columns.to[row] = ordinals[columns.to[row] ?? 0] ?? 0
  }
  return {
    ...columns,
    count,
    wideValues: new Map(header.wide.map(([row, value]) => [row, BigInt(value)])),
    addressWords: addresses.words(),
    addressCount: addresses.count(),
    txWords,
    txCount,
  }
}
