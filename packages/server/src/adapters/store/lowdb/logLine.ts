import { crc32 } from 'node:zlib'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact } from '../../../domain/facts/facts.ts'
import type { HostDocument } from '../../../domain/facts/hostDocument.ts'
import type { Claim } from '../../../ports/claims.ts'

/**
 * One record of the log. A `fold` says that the observations of a host from before a moment, in earlier calls, are let
 * go of; days and observations in the same call stand for them.
 */
export type LogRecord =
  | { readonly type: 'fact'; readonly data: Fact }
  | { readonly type: 'claim'; readonly data: Claim }
  | { readonly type: 'host'; readonly data: HostDocument }
  | { readonly type: 'daily'; readonly data: DailyMeasurements }
  | { readonly type: 'fold'; readonly data: Fold }

/** Which observations were folded. */
export type Fold = { readonly host: string; readonly before: number }

export type RecordType = LogRecord['type']

/** A line that was found whole; its data is still text. */
export type LogLine = {
  /** Number of the call that wrote it; grows through the whole log. */
  readonly seq: number
  /** Place in its call, from 0, and how many lines the call has. */
  readonly part: number
  readonly parts: number
  readonly type: RecordType
  readonly json: string
}

/** The version that is written, and the only one that is read. */
const LINE_VERSION = 1

const TYPES: ReadonlySet<unknown> = new Set<RecordType>(['fact', 'claim', 'host', 'daily', 'fold'])

/** The lines of one call. */
export function encodeCall(seq: number, records: readonly LogRecord[]): string {
  return encodeLines(
    seq,
    records.map(({ type, data }) => ({ type, json: JSON.stringify(data) })),
  )
}

/** The lines of one call whose records are text already. */
export function encodeLines(seq: number, records: readonly Pick<LogLine, 'type' | 'json'>[]): string {
  let text = ''
  records.forEach(({ type, json }, part) => {
    const line = { seq, part, parts: records.length, type, json }
    text += `{"v":${LINE_VERSION},"seq":${seq},"part":${part},"parts":${line.parts},"crc":"${checksum(line)}","type":"${type}","data":${json}}\n`
  })
  return text
}

const HEAD =
  /^\{"v":1,"seq":(\d{1,15}),"part":(\d{1,9}),"parts":(\d{1,9}),"crc":"([0-9a-f]{8})","type":"([a-z]{1,20})","data":/
/** How lines of every version begin. */
const VERSION = /^\{"v":(\d{1,9}),/

/** Reads a line without its line break: `damaged` when it is not what was written, `newer` when a later version wrote it. */
export function parseLine(text: string): LogLine | 'damaged' | 'newer' {
  const head = HEAD.exec(text)
  if (!head) return Number(VERSION.exec(text)?.[1] ?? 0) > LINE_VERSION ? 'newer' : 'damaged'
  const [start, seq, part, parts, crc, type] = head
  if (!isRecordType(type)) return 'damaged'
  const json = text.slice(start.length, -1)
  const line = { seq: Number(seq), part: Number(part), parts: Number(parts), type, json }
  return crc === checksum(line) && text.endsWith('}') ? line : 'damaged'
}

/** The record that a line holds. Its checksum has been compared, so its shape is what was written. */
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
