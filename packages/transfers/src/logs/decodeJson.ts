import { asObject } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import {
  BLOCK_HASH,
  type ColumnBuilder,
  type LogRow,
  RECIPIENT,
  ROW_WORDS,
  SENDER,
  TX_HASH,
  VALUE,
} from '../columns/columnBuilder.ts'
import { SUPPLY_LOG } from '../columns/columns.ts'

/** Topic 0 of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Topic 0 of `Deposit(address,uint256)`, which WETH9 logs when it mints. */
export const DEPOSIT_TOPIC = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
/** Topic 0 of `Withdrawal(address,uint256)`, which WETH9 logs when it burns. */
export const WITHDRAWAL_TOPIC = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/** Events that become rows, by topic 0, with the places in a row of the addresses in their other topics. */
export const EVENT_PARTIES: ReadonlyMap<string, readonly number[]> = new Map([
  [TRANSFER_TOPIC, [SENDER, RECIPIENT]],
  [DEPOSIT_TOPIC, [RECIPIENT]],
  [WITHDRAWAL_TOPIC, [SENDER]],
])

/** Numbers of logs that are no rows: transfers of ERC-721, and transfers that do not index their addresses. */
export type SkippedLogs = { nft: number; unindexed: number }

const QUANTITY = /^0x[0-9a-f]{1,13}$/i
const WORD = /^0x[0-9a-f]{64}$/i
const MAX_BLOCK = 0xffff_ffff
/** Place in a word of the address that a topic holds, in 32-bit words. */
const PADDING = 3

const bad = (what: string): ChainError => new ChainError('bad_answer', `eth_getLogs returned ${what}`)

const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

function quantity(value: unknown, what: string): number {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw bad(`a log with a malformed ${what}`)
  const number = Number.parseInt(value.slice(2), 16)
  if (number > MAX_BLOCK) throw bad(`a log whose ${what} is out of range`)
  return number
}

/** Reads the 32-bit words of a hex word from number `from` on. */
function wordsOf(value: unknown, what: string, from = 0): number[] {
  if (typeof value !== 'string' || !WORD.test(value)) throw bad(`a log with a malformed ${what}`)
  const words = Array.from({ length: 8 }, (_, i) => Number.parseInt(value.slice(2 + i * 8, 10 + i * 8), 16))
  return words.slice(from)
}

/**
 * Decodes a parsed log. Returns null, and counts it if it is a transfer, unless the log is an ERC-20 transfer, a
 * deposit or a withdrawal.
 *
 * @param token address of the token: 40 lower-case hex digits, without 0x
 * @throws ChainError `bad_answer` on anything that is not a log, or a transfer of another contract
 */
export function decodeLog(value: unknown, token: string, skipped: SkippedLogs): LogRow | null {
  const log = asObject(value)
  if (log === undefined) throw bad('a log that is not an object')
  const { topics, data } = log
  if (!Array.isArray(topics)) throw bad('a log without topics')
  const event = lower(topics[0])
  const parties = EVENT_PARTIES.get(event)
  // A log that a reorganisation removed, or another event.
  if (log.removed === true || parties === undefined) return null
  const isTransfer = event === TRANSFER_TOPIC
  if (isTransfer && topics.length !== 3) skipped[topics.length > 3 ? 'nft' : 'unindexed']++
  if (topics.length !== 1 + parties.length || typeof data !== 'string' || data.length !== 66) return null
  if (lower(log.address) !== `0x${token}`) throw bad('a log of another contract')
  const block = quantity(log.blockNumber, 'blockNumber')
  const logIndex = quantity(log.logIndex, 'logIndex')
  if (logIndex >= SUPPLY_LOG) throw bad('a log whose logIndex is out of range')
  const words = new Int32Array(ROW_WORDS)
  parties.forEach((place, i) => {
    words.set(wordsOf(topics[i + 1], 'topic', PADDING), place)
  })
  words.set(wordsOf(data, 'data'), VALUE)
  words.set(wordsOf(log.transactionHash, 'transactionHash'), TX_HASH)
  if (WORD.test(lower(log.blockHash))) words.set(wordsOf(log.blockHash, 'blockHash'), BLOCK_HASH)
  return { block, logIndex: isTransfer ? logIndex : logIndex + SUPPLY_LOG, words }
}

/** Adds the rows among the parsed logs of a reply to the builder. @throws ChainError as `decodeLog` */
export function decodeLogsJson(result: unknown, token: string, builder: ColumnBuilder): SkippedLogs {
  if (!Array.isArray(result)) throw bad('something other than a list')
  const skipped = { nft: 0, unindexed: 0 }
  for (const log of result) {
    const row = decodeLog(log, token, skipped)
    if (row !== null) builder.push(row)
  }
  return skipped
}
