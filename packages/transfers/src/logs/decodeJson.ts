import { asObject } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import type { ColumnBuilder, EndBlock, EndBlocks } from '../columns/columnBuilder.ts'
import { SUPPLY_LOG } from '../columns/columns.ts'
import type { Hex } from '../types.ts'
import { EVENT_TOPICS, TOPIC_COUNTS, TRANSFER, WITHDRAWAL } from './events.ts'

const QUANTITY = /^0x[0-9a-f]{1,13}$/i
const WORD = /^0x[0-9a-f]{64}$/i
const MAX_BLOCK = 0xffff_ffff
const WORD_MASK = 2n ** 32n - 1n

const bad = (what: string): ChainError => new ChainError('bad_answer', `eth_getLogs returned ${what}`)

function quantity(value: unknown, what: string): number {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw bad(`a log with a malformed ${what}`)
  const number = Number.parseInt(value.slice(2), 16)
  if (number > MAX_BLOCK) throw bad(`a log whose ${what} is out of range`)
  return number
}

function word(value: unknown, what: string): string {
  if (typeof value !== 'string' || !WORD.test(value)) throw bad(`a log with a malformed ${what}`)
  return value
}

const wordAt = (hex: string, nibble: number) => Number.parseInt(hex.slice(nibble, nibble + 8), 16)

/** Splits the address in a topic into words. */
const partyOf = (topic: string): number[] => [26, 34, 42, 50, 58].map((nibble) => wordAt(topic, nibble))
const NOBODY = [0, 0, 0, 0, 0]

function pushLog(value: unknown, token: string, builder: ColumnBuilder): EndBlock | 'nameless' | null {
  const log = asObject(value)
  if (log === undefined) throw bad('a log that is not an object')
  const { topics, data } = log
  if (!Array.isArray(topics)) throw bad('a log without topics')
  // Skips logs that a reorganisation removed, and other events.
  const event = EVENT_TOPICS.indexOf(String(topics[0]).toLowerCase() as (typeof EVENT_TOPICS)[number])
  if (log.removed === true || event < 0) return null
  if (event === TRANSFER && topics.length !== 3) builder.skip(topics.length > 3 ? 'nft' : 'unindexed')
  if (topics.length !== TOPIC_COUNTS[event] || typeof data !== 'string' || data.length !== 66) return null
  if (String(log.address).toLowerCase() !== `0x${token}`) throw bad('a log of another contract')
  const block = quantity(log.blockNumber, 'blockNumber')
  const logIndex = quantity(log.logIndex, 'logIndex')
  const hash = word(log.transactionHash, 'transactionHash')
  if (logIndex >= SUPPLY_LOG) throw bad('a log whose logIndex is out of range')
  const one = partyOf(word(topics[1], 'topic'))
  const other = event === TRANSFER ? partyOf(word(topics[2], 'topic')) : NOBODY
  const parties = event === TRANSFER || event === WITHDRAWAL ? [...one, ...other] : [...other, ...one]
  const amount = BigInt(word(data, 'data'))
  const tx = builder.startTx(Int32Array.from({ length: 8 }, (_, i) => wordAt(hash, 2 + i * 8)))
  const isWide = amount >> 96n !== 0n
  const limbs = [64n, 32n, 0n].map((shift) => Number((isWide ? 0n : amount >> shift) & WORD_MASK))
  const index = event === TRANSFER ? logIndex : logIndex + SUPPLY_LOG
  builder.push(block, index, tx, Int32Array.from([...parties, ...limbs]), isWide ? amount : null)
  const { blockHash } = log
  if (typeof blockHash !== 'string' || !WORD.test(blockHash)) return 'nameless'
  return { number: block, hash: blockHash.toLowerCase() as Hex }
}

/**
 * Adds the ERC-20 transfers, deposits and withdrawals among parsed logs to the builder and skips other logs.
 *
 * @param token address of the token: 40 lower-case hex digits, without 0x
 * @throws ChainError `bad_answer` on anything that is not a log, or a transfer of another contract
 */
export function decodeLogsJson(result: unknown, token: string, builder: ColumnBuilder): EndBlocks {
  if (!Array.isArray(result)) throw bad('something other than a list')
  const ends = result.map((log) => pushLog(log, token, builder)).filter((end) => end !== null)
  const named = (end: EndBlock | 'nameless' | undefined) =>
    end === undefined || end === 'nameless' ? null : end
  return { first: named(ends[0]), last: named(ends.at(-1)) }
}
