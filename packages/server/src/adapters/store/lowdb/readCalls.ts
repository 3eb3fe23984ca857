import { type LogLine, parseLine } from './logLine.ts'

/** One call of the log, whole. */
export type LoggedCall = { readonly seq: number; readonly lines: readonly LogLine[] }

/** What reading a segment showed. */
export type SegmentReading = {
  /** Offset after the last whole call. */
  readonly end: number
  /** Bytes before `end` that belong to no whole call: damage, since a crash can only hurt the end. */
  readonly damagedBytes: number
  /** Bytes after `end`. */
  readonly tailBytes: number
  /** A later version wrote the end of this: nothing may be cut off or moved. In the middle, it is damage that looks like it. */
  readonly newer: boolean
}

const LINE_BREAK = 10

/** Hands over every whole call of a segment in order; half a call is as none. */
export function readCalls(segment: Buffer, onCall: (call: LoggedCall) => void): SegmentReading {
  const calls = walkCalls(segment)
  for (let step = calls.next(); ; step = calls.next()) {
    if (step.done) return step.value
    onCall(step.value)
  }
}

/** Yields every whole call of a segment in order, and returns what reading it showed. */
export function* walkCalls(segment: Buffer): Generator<LoggedCall, SegmentReading, void> {
  let lines: LogLine[] = []
  let wholeBytes = 0
  let callStart = 0
  let end = 0
  let newer = false

  for (let start = 0; start < segment.length; ) {
    const lineBreak = segment.indexOf(LINE_BREAK, start)
    if (lineBreak < 0) break
    const next = lineBreak + 1
    const line = parseLine(segment.toString('utf8', start, lineBreak))
    if (line === 'newer') newer = true
    if (typeof line !== 'string' && line.part === 0) {
      lines = []
      callStart = start
    }
    if (typeof line !== 'string' && continues(lines, line)) lines.push(line)
    else lines = []
    const [first] = lines
    if (first && lines.length === first.parts) {
      yield { seq: first.seq, lines }
      wholeBytes += next - callStart
      newer = false
      end = next
      lines = []
    }
    start = next
  }
  return { end, damagedBytes: end - wholeBytes, tailBytes: segment.length - end, newer }
}

function continues(lines: readonly LogLine[], line: LogLine): boolean {
  const [first] = lines
  return line.part === lines.length && (!first || (first.seq === line.seq && first.parts === line.parts))
}
