import { crc32 } from 'node:zlib'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact } from '../../../domain/facts/facts.ts'
import type { HostDocument } from '../../../domain/facts/hostDocument.ts'
import type { Claim } from '../../../ports/claims.ts'

/**
 * One record of the log. A `fold` removes the observations of a host before a given time from earlier calls; the days
 * and observations of its own call replace them.
 */
export type LogRecord =
  | { readonly type: 'fact'; readonly data: Fact }
  | { readonly type: 'claim'; readonly data: Claim }
  | { readonly type: 'host'; readonly data: HostDocument }
  | { readonly type: 'daily'; readonly data: DailyMeasurements }
  | { readonly type: 'fold'; readonly data: Fold }

/** Identifies the observations that were folded: those of a host before a Unix time in ms. */
export type Fold = { readonly host: string; readonly before: number }

/** Kind of a log record. */
export type RecordType = LogRecord['type']

/** An intact line; its data is still text. */
export type LogLine = {
  /** Sequence number of its call, ascending through the log. */
  readonly seq: number
  /** Index within its call, from 0. */
  readonly part: number
  /** Number of lines of its call. */
  readonly parts: number
  readonly type: RecordType
  readonly json: string
}

/** The only version that is written and read. */
const LINE_VERSION = 1

const TYPES: ReadonlySet<unknown> = new Set<RecordType>(['fact', 'claim', 'host', 'daily', 'fold'])

/** Encodes the lines of one call. */
export function encodeCall(seq: number, records: readonly LogRecord[]): string {
  return encodeLines(
    seq,
    records.map(({ type, data }) => ({ type, json: JSON.stringify(data) })),
  )
}

/** Encodes the lines of one call from serialized records. */
export function encodeLines(seq: number, records: readonly Pick<LogLine, 'type' | 'json'>[]): string {
  const parts = records.length
  const lines = records.map(({ type, json }, part) => {
    const crc = checksum({ seq, part, parts, type, json })
    return `{"v":${LINE_VERSION},"seq":${seq},"part":${part},"parts":${parts},"crc":"${crc}","type":"${type}","data":${json}}\n`
  })
  return lines.join('')
}

const HEAD =
  /^\{"v":1,"seq":(\d{1,15}),"part":(\d{1,9}),"parts":(\d{1,9}),"crc":"([0-9a-f]{8})","type":"([a-z]{1,20})","data":/
/** Start of a line in any version. */
const VERSION = /^\{"v":(\d{1,9}),/

/** Parses a line without its line break. Returns `newer` if a later version wrote it. */
export function parseLine(text: string): LogLine | 'damaged' | 'newer' {
  const head = HEAD.exec(text)
  if (!head) return Number(VERSION.exec(text)?.[1] ?? 0) > LINE_VERSION ? 'newer' : 'damaged'
  const [start, seq, part, parts, crc, type] = head
  if (!isRecordType(type)) return 'damaged'
  const json = text.slice(start.length, -1)
  const line = { seq: Number(seq), part: Number(part), parts: Number(parts), type, json }
  return crc === checksum(line) && text.endsWith('}') ? line : 'damaged'
}

/** Parses the record of a line. The line's checksum vouches for its shape. */
export function recordOf(line: Pick<LogLine, 'type' | 'json'>): LogRecord {
  return { type: line.type, data: JSON.parse(line.json) } as LogRecord
}

function checksum({ seq, part, parts, type, json }: LogLine): string {
  return crc32(json, crc32(`${seq} ${part} ${parts} ${type} `))
    .toString(16)
    .padStart(8, '0')
}

function isRecordType(value: unknown): value is RecordType {
  return TYPES.has(value)
}
