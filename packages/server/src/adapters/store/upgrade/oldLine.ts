import { crc32 } from 'node:zlib'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact } from '../../../domain/facts/facts.ts'
import type { Claim } from '../../../ports/claims.ts'
import type { OldHost } from './oldState.ts'

/** Identifies the observations that were folded: those of a host before a Unix time in ms, written by earlier calls. */
export type Fold = { readonly host: string; readonly before: number }

/** One record of a log of version 0.1. */
export type OldRecord =
  | { readonly type: 'fact'; readonly data: Fact }
  | { readonly type: 'claim'; readonly data: Claim }
  | { readonly type: 'host'; readonly data: OldHost }
  | { readonly type: 'daily'; readonly data: DailyMeasurements }
  | { readonly type: 'fold'; readonly data: Fold }

type RecordType = OldRecord['type']

/** An intact line; its data is still text. */
export type OldLine = {
  /** Sequence number of its call, ascending through the log. */
  readonly seq: number
  /** Index within its call, from 0. */
  readonly part: number
  /** Number of lines of its call. */
  readonly parts: number
  readonly type: RecordType
  readonly json: string
}

const TYPES: ReadonlySet<unknown> = new Set<RecordType>(['fact', 'claim', 'host', 'daily', 'fold'])

const HEAD =
  /^\{"v":1,"seq":(\d{1,15}),"part":(\d{1,9}),"parts":(\d{1,9}),"crc":"([0-9a-f]{8})","type":"([a-z]{1,20})","data":/
/** Start of a line in any version. */
const VERSION = /^\{"v":(\d{1,9}),/

/** Parses a line without its line break. Returns `newer` if its version is not 1. */
export function parseLine(text: string): OldLine | 'damaged' | 'newer' {
  const head = HEAD.exec(text)
  if (!head) return Number(VERSION.exec(text)?.[1] ?? 0) > 1 ? 'newer' : 'damaged'
  const [start, seq, part, parts, crc, type] = head
  if (!isRecordType(type)) return 'damaged'
  const json = text.slice(start.length, -1)
  const line = { seq: Number(seq), part: Number(part), parts: Number(parts), type, json }
  return crc === checksum(line) && text.endsWith('}') ? line : 'damaged'
}

/** Parses the record of a line. The line's checksum vouches for its shape. */
export function recordOf({ type, json }: Pick<OldLine, 'type' | 'json'>): OldRecord {
  return { type, data: JSON.parse(json) } as OldRecord
}

/** Returns the checksum of a line's parts, as its `crc` states it. */
export function checksum({ seq, part, parts, type, json }: OldLine): string {
  return crc32(json, crc32(`${seq} ${part} ${parts} ${type} `))
    .toString(16)
    .padStart(8, '0')
}

function isRecordType(value: unknown): value is RecordType {
  return TYPES.has(value)
}
