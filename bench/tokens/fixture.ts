import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'
import { seededRandom } from '@touchstone402/shared/testing'

/** USDC-like logs, as a provider sends them. */
export type Fixture = {
  readonly rows: number
  readonly firstBlock: number
  readonly blocks: number
  /** Returns the reply for a range of blocks, both inclusive. The next reply overwrites it. */
  reply(from: number, to: number): Buffer
  /** Yields the same reply in chunks. Each chunk overwrites the one before. */
  chunks(from: number, to: number): Iterable<Buffer>
  /** Returns the block that holds the log number `rows`. */
  blockAfter(rows: number): number
}

export const TOKEN = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
export const CHAIN_ID = 8453
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const GENESIS = 1_686_789_347
const FIRST_BLOCK = 30_000_000
const HEAD = Buffer.from('{"jsonrpc":"2.0","id":1,"result":[')
const TAIL = Buffer.from(']}')
/** Bytes per chunk, as of a decompressed body. */
const CHUNK = 1024 * 1024

/** Returns a block of the synthetic chain. */
export function blockOf(number: number) {
  return {
    number: `0x${number.toString(16)}`,
    hash: `0x${number.toString(16).padStart(64, 'b')}`,
    timestamp: `0x${(GENESIS + number * 2).toString(16)}`,
  }
}

/** Returns the number of the block of a hash: its last digits. */
export const numberOf = (hash: string): number => Number.parseInt(hash.slice(-7), 16)

function digits(next: () => number, count: number): string {
  let text = ''
  while (text.length < count)
    text += Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, count)
}

/** Writes the logs, and the offset and number of the logs of each block. */
function make(path: string, rows: number, blocks: number): void {
  const next = seededRandom(rows)
  const zeros = '0'.repeat(24)
  const people = Array.from(
    { length: Math.min(120_000, Math.ceil(rows / 4)) },
    () => zeros + digits(next, 40),
  )
  const pick = () => people[Math.floor(next() ** 3 * people.length)] ?? zeros
  const file = openSync(`${path}.draft`, 'w')
  const offsets: number[] = []
  const counts: number[] = []
  let offset = 0
  let made = 0
  for (let i = 0; i < blocks; i++) {
    const { number, hash, timestamp } = blockOf(FIRST_BLOCK + i)
    const count = Math.round(((i + 1) * rows) / blocks) - made
    made += count
    offsets.push(offset)
    counts.push(count)
    let text = ''
    let tx = ''
    for (let row = 0; row < count; row++) {
      if (row % 2 === 0) tx = digits(next, 64)
      const value = Math.floor(next() ** 6 * 1e12)
        .toString(16)
        .padStart(64, '0')
      text += `{"address":"${TOKEN}","topics":["${TRANSFER}","0x${pick()}","0x${pick()}"],"data":"0x${value}","blockHash":"${hash}","blockNumber":"${number}","blockTimestamp":"${timestamp}","transactionHash":"0x${tx}","transactionIndex":"0x${(row >> 1).toString(16)}","logIndex":"0x${(row * 3).toString(16)}","removed":false},`
    }
    offset += writeSync(file, text)
  }
  offsets.push(offset)
  closeSync(file)
  writeFileSync(`${path}.index`, JSON.stringify({ rows, blocks, offsets, counts }))
  renameSync(`${path}.draft`, path)
}

/** Opens the fixture of `rows` logs over `blocks` blocks of two seconds. Creates it on first use. */
export function openFixture(rows: number, blocks: number): Fixture {
  const folder = fileURLToPath(new URL('../.cache/', import.meta.url))
  const path = `${folder}transfers-v2-${rows}-${blocks}.txt`
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    make(path, rows, blocks)
  }
  const { offsets, counts } = JSON.parse(readFileSync(`${path}.index`, 'utf8')) as {
    offsets: number[]
    counts: number[]
  }
  const file = openSync(path, 'r')
  let room = Buffer.alloc(0)
  const offsetAt = (block: number) => offsets[Math.min(blocks, Math.max(0, block - FIRST_BLOCK))] ?? 0
  return {
    rows,
    firstBlock: FIRST_BLOCK,
    blocks,
    reply(from, to) {
      const start = offsetAt(from)
      // Excludes the comma after the last log.
      const length = Math.max(0, offsetAt(to + 1) - start - 1)
      const size = HEAD.length + length + TAIL.length
      if (room.length < size) room = Buffer.allocUnsafeSlow(size * 2)
      const body = room.subarray(0, size)
      HEAD.copy(body)
      readSync(file, body, HEAD.length, length, start)
      TAIL.copy(body, HEAD.length + length)
      return body
    },
    *chunks(from, to) {
      const chunk = Buffer.allocUnsafeSlow(CHUNK)
      const end = offsetAt(to + 1) - 1
      yield HEAD
      for (let at = offsetAt(from); at < end; at += CHUNK)
        yield chunk.subarray(0, readSync(file, chunk, 0, Math.min(CHUNK, end - at), at))
      yield TAIL
    },
    blockAfter(wanted) {
      let held = 0
      let block = FIRST_BLOCK
      for (const count of counts) {
        if (held >= wanted) break
        held += count
        block++
      }
      return block - 1
    },
  }
}
