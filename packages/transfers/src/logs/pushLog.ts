import type { ColumnBuilder } from '../columns/columnBuilder.ts'
import { SUPPLY_LOG } from '../columns/columns.ts'
import { DEPOSIT, type EventPlace, TRANSFER } from './events.ts'
import { EIGHT_ZEROS, octetOf, readWord, UNEXPECTED } from './hexBytes.ts'
import type { LogFields } from './logFields.ts'

/** Adds a row to a builder for each decoded log. */
export type LogPusher = {
  /** Checks what all logs of one layout share. @throws UnexpectedBytes for another token, or topics that are not addresses */
  check(bytes: Buffer, view: DataView, fields: LogFields, event: EventPlace): void
  /** Adds a log whose layout was checked. @throws UnexpectedBytes if a value is not hex */
  push(bytes: Buffer, view: DataView, fields: LogFields, event: EventPlace): void
  /** Forgets offsets into the previous window. */
  moveOn(): void
}

/** Digits of a topic before the address in it. */
const PADDING = 24

function allZeros(view: DataView, at: number, digits: number): boolean {
  for (let i = 0; i < digits; i += 8) if (view.getFloat64(at + i, true) !== EIGHT_ZEROS) return false
  return true
}

function sameOctets(view: DataView, a: number, b: number): boolean {
  for (let i = 0; i < 64; i += 8)
    if (view.getFloat64(a + i, true) !== view.getFloat64(b + i, true)) return false
  return true
}

/**
 * Creates a pusher.
 *
 * @param token address of the token: 40 lower-case hex digits, without 0x
 */
export function createLogPusher(token: string, builder: ColumnBuilder): LogPusher {
  const tokenOctets = [0, 8, 16, 24, 32].map((i) => octetOf(token.slice(i, i + 8)))
  const hash = new Int32Array(8)
  const row = new Int32Array(13)
  let knownHash = -1
  let tx = -1

  const isToken = (bytes: Buffer, view: DataView, at: number): boolean =>
    tokenOctets.every((octet, i) => view.getFloat64(at + i * 8, true) === octet) ||
    bytes.toString('latin1', at, at + 40).toLowerCase() === token

  return {
    moveOn() {
      knownHash = -1
    },
    check(bytes, view, { address, topic1, topic2 }, event) {
      if (!isToken(bytes, view, address)) throw UNEXPECTED
      if (!allZeros(view, topic1, PADDING)) throw UNEXPECTED
      if (event === TRANSFER && !allZeros(view, topic2, PADDING)) throw UNEXPECTED
    },
    push(bytes, view, { txHash, topic1, topic2, data, block, logIndex }, event) {
      if (logIndex >= SUPPLY_LOG) throw UNEXPECTED
      // A deposit comes from the zero address, a withdrawal goes to it.
      if (event !== TRANSFER) row.fill(0)
      const first = event === DEPOSIT ? 5 : 0
      for (let i = 0; i < 5; i++) row[first + i] = readWord(view, topic1 + PADDING + i * 8)
      if (event === TRANSFER)
        for (let i = 0; i < 5; i++) row[5 + i] = readWord(view, topic2 + PADDING + i * 8)
      const index = event === TRANSFER ? logIndex : logIndex + SUPPLY_LOG
      if (knownHash < 0 || !sameOctets(view, knownHash, txHash)) {
        for (let i = 0; i < 8; i++) hash[i] = readWord(view, txHash + i * 8)
        tx = builder.startTx(hash)
        knownHash = txHash
      }
      const isNarrow = allZeros(view, data, 40)
      row[10] = isNarrow ? readWord(view, data + 40) : 0
      row[11] = isNarrow ? readWord(view, data + 48) : 0
      row[12] = isNarrow ? readWord(view, data + 56) : 0
      if (isNarrow) {
        builder.push(block, index, tx, row, null)
        return
      }
      for (let i = 0; i < 64; i += 8) readWord(view, data + i)
      builder.push(block, index, tx, row, BigInt(`0x${bytes.toString('latin1', data, data + 64)}`))
    },
  }
}
