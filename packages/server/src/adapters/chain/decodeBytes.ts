import type { Hex } from '../../ports/chain.ts'
import type { ColumnBuilder, EndBlocks } from './columnBuilder.ts'
import { EIGHT_ZEROS, octetOf, readHalfWord, readQuantity, readWord, UnexpectedBytes } from './hexBytes.ts'
import { skipSpace, skipString, skipValue } from './jsonScan.ts'
import { createLogFields, type LogFields, scanLog } from './logFields.ts'
import { createLogTemplate } from './logTemplate.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d

const TRANSFER = [
  'ddf252ad',
  '1be2c89b',
  '69c2b068',
  'fc378daa',
  '952ba7f1',
  '63c4a116',
  '28f55a4d',
  'f523b3ef',
]
const TRANSFER_OCTETS = TRANSFER.map(octetOf)
const TRANSFER_WORDS = TRANSFER.map((text) => Number.parseInt(text, 16))

/**
 * Decodes an `eth_getLogs` reply from its bytes, without ever making it a string.
 *
 * Keys are found by name, in any order; what is not needed is skipped. Returns null, with the builder as it
 * was, when anything is not as expected (escapes, odd lengths, an error, a foreign token): decode it as JSON then.
 *
 * `token` is the token's address, 40 lower-case digits; logs of others are not expected.
 */
export const decodeLogsBytes = (bytes: Buffer, token: string, builder: ColumnBuilder): EndBlocks | null => {
  const rows = builder.count()
  try {
    return decodeReply(bytes, token, builder)
  } catch (error) {
    builder.truncate(rows)
    // Reading past the end is a RangeError of the view.
    if (error instanceof UnexpectedBytes || error instanceof RangeError) return null
    throw error
  }
}

const NO_ENDS: EndBlocks = { first: null, last: null }

const decodeReply = (bytes: Buffer, token: string, builder: ColumnBuilder): EndBlocks => {
  const expect = (at: number, byte: number): number => {
    const next = skipSpace(bytes, at)
    if (bytes[next] !== byte) throw new UnexpectedBytes()
    return next + 1
  }
  let at = expect(0, OPEN)
  let ends: EndBlocks | null = null
  for (;;) {
    const start = expect(at, QUOTE)
    at = skipString(bytes, start)
    const key = bytes.toString('latin1', start, at - 1)
    // An escaped key could be any; with an error there is no result.
    if (key === 'error' || key.includes('\\')) throw new UnexpectedBytes()
    at = skipSpace(bytes, expect(at, COLON))
    if (key === 'result') {
      if (ends) throw new UnexpectedBytes()
      const list = decodeList(bytes, at, token, builder)
      ends = list.ends
      at = list.end
    } else at = skipValue(bytes, at)
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE) break
    at = expect(at, COMMA)
  }
  if (!ends || skipSpace(bytes, at + 1) !== bytes.length) throw new UnexpectedBytes()
  return ends
}

const endBlock = (bytes: Buffer, { block, blockHash }: LogFields) => {
  if (blockHash < 0) return null
  for (let i = 0; i < 64; i += 8) readWord(bytes, blockHash + i)
  const hash: Hex = `0x${bytes.toString('latin1', blockHash, blockHash + 64).toLowerCase()}`
  return { number: readQuantity(bytes, block), hash }
}

/** Decodes `[{…},…]`; `end` is the byte after it. */
const decodeList = (
  bytes: Buffer,
  start: number,
  token: string,
  builder: ColumnBuilder,
): { end: number; ends: EndBlocks } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fields = createLogFields()
  const template = createLogTemplate()
  const push = createPusher(bytes, view, token, builder)
  if (bytes[start] !== OPEN_LIST) throw new UnexpectedBytes()
  let at = skipSpace(bytes, start + 1)
  if (bytes[at] === CLOSE_LIST) return { end: at + 1, ends: NO_ENDS }
  let first: EndBlocks['first'] = null
  const pushed = createLogFields()
  for (;;) {
    const end = template.match(bytes, view, at, fields)
    if (end >= 0) {
      at = end
      push(fields)
      pushed.block = fields.block
      pushed.blockHash = fields.blockHash
    } else {
      template.begin(at)
      at = scanLog(bytes, view, at, fields, template.note)
      if (fields.topics < 0 || fields.data < 0) throw new UnexpectedBytes()
      if (
        fields.topics === 3 &&
        fields.dataLength === 64 &&
        !fields.removed &&
        isTransfer(bytes, view, fields)
      ) {
        if (fields.address < 0 || fields.block < 0 || fields.logIndex < 0 || fields.txHash < 0)
          throw new UnexpectedBytes()
        push(fields)
        if (pushed.block < 0) first = endBlock(bytes, fields)
        Object.assign(pushed, fields)
        template.learn(at, fields.address)
      }
    }
    if (bytes[at] !== COMMA) {
      at = skipSpace(bytes, at)
      if (bytes[at] === CLOSE_LIST)
        return { end: at + 1, ends: { first, last: pushed.block < 0 ? null : endBlock(bytes, pushed) } }
      if (bytes[at] !== COMMA) throw new UnexpectedBytes()
    }
    at = skipSpace(bytes, at + 1)
  }
}

const isTransfer = (bytes: Uint8Array, view: DataView, { topic0 }: LogFields): boolean => {
  for (let i = 0; i < 8; i++) {
    if (view.getFloat64(topic0 + i * 8, true) === TRANSFER_OCTETS[i]) continue
    if (readWord(bytes, topic0 + i * 8) !== TRANSFER_WORDS[i]) return false
  }
  return true
}

/** Makes rows out of found fields. */
const createPusher = (bytes: Buffer, view: DataView, token: string, builder: ColumnBuilder) => {
  const tokenOctets = [0, 8, 16, 24, 32].map((i) => octetOf(token.slice(i, i + 8)))
  const hash = new Uint32Array(8)
  let knownHash = -1
  let tx = -1
  const isZero = (at: number) => view.getFloat64(at, true) === EIGHT_ZEROS
  const sameOctets = (a: number, b: number): boolean => {
    for (let i = 0; i < 64; i += 8)
      if (view.getFloat64(a + i, true) !== view.getFloat64(b + i, true)) return false
    return true
  }
  const checkToken = (at: number) => {
    for (let i = 0; i < 5; i++) {
      if (view.getFloat64(at + i * 8, true) === tokenOctets[i]) continue
      if (bytes.toString('latin1', at, at + 40).toLowerCase() !== token) throw new UnexpectedBytes()
      return
    }
  }
  const intern = (at: number): number => {
    // An address has 24 zeros ahead of it; anything else is for the careful decoder.
    if (!isZero(at) || !isZero(at + 8) || !isZero(at + 16)) throw new UnexpectedBytes()
    return builder.addresses.intern(
      readWord(bytes, at + 24),
      readWord(bytes, at + 32),
      readWord(bytes, at + 40),
      readWord(bytes, at + 48),
      readWord(bytes, at + 56),
    )
  }
  const isNarrow = (at: number) =>
    isZero(at) && isZero(at + 8) && isZero(at + 16) && isZero(at + 24) && isZero(at + 32)

  return ({ address, txHash, topic1, topic2, data, block, logIndex }: LogFields): void => {
    checkToken(address)
    if (knownHash < 0 || !sameOctets(knownHash, txHash)) {
      for (let i = 0; i < 8; i++) hash[i] = readWord(bytes, txHash + i * 8)
      tx = builder.startTx(hash)
    }
    knownHash = txHash
    const at = readQuantity(bytes, block)
    const index = readQuantity(bytes, logIndex)
    const from = intern(topic1)
    const to = intern(topic2)
    if (isNarrow(data)) {
      const high = isZero(data + 40)
        ? readHalfWord(bytes, data + 48)
        : readWord(bytes, data + 40) * 65_536 + readHalfWord(bytes, data + 48)
      const low = readHalfWord(bytes, data + 52) * 4_294_967_296 + readWord(bytes, data + 56)
      builder.push(at, index, tx, from, to, low, high, null)
      return
    }
    for (let i = 0; i < 64; i += 8) readWord(bytes, data + i)
    builder.push(at, index, tx, from, to, 0, 0, BigInt(`0x${bytes.toString('latin1', data, data + 64)}`))
  }
}
