import { UNEXPECTED, UnexpectedBytes } from './hexBytes.ts'
import { skipSpace, skipString, skipValue } from './jsonScan.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const OPEN = 0x7b
const CLOSE = 0x7d

function expectByte(bytes: Buffer, at: number, byte: number): number {
  const next = skipSpace(bytes, at)
  if (bytes[next] !== byte) throw UNEXPECTED
  return next + 1
}

/** Reads the name of a member. Gives up on an escaped name, which could be any, and on `error`. */
function readKey(bytes: Buffer, at: number): { key: string; value: number } {
  const start = expectByte(bytes, at, QUOTE)
  const end = skipString(bytes, start)
  const key = bytes.toString('latin1', start, end - 1)
  if (key === 'error' || key.includes('\\')) throw UNEXPECTED
  return { key, value: skipSpace(bytes, expectByte(bytes, end, COLON)) }
}

/** Returns the offset after the `[` of the `result`; null if there is none so far. */
export function scanHead(bytes: Buffer): number | null {
  try {
    let at = expectByte(bytes, 0, OPEN)
    for (;;) {
      const { key, value } = readKey(bytes, at)
      if (key === 'result') return expectByte(bytes, value, OPEN_LIST)
      at = expectByte(bytes, skipValue(bytes, value), COMMA)
    }
  } catch (error) {
    if (error instanceof UnexpectedBytes) return null
    throw error
  }
}

/** Whether the bytes after the `]` of the result end the reply correctly. */
export function scanTail(bytes: Buffer): boolean {
  try {
    let at = skipSpace(bytes, 0)
    while (bytes[at] !== CLOSE) {
      const { key, value } = readKey(bytes, expectByte(bytes, at, COMMA))
      if (key === 'result') return false
      at = skipSpace(bytes, skipValue(bytes, value))
    }
    return skipSpace(bytes, at + 1) === bytes.length
  } catch (error) {
    if (error instanceof UnexpectedBytes) return false
    throw error
  }
}
