import { type LogLine, parseLine } from './logLine.ts'

/** One complete call of the log. */
export type LoggedCall = { readonly seq: number; readonly lines: readonly LogLine[] }

/** Result of reading a segment. */
export type SegmentReading = {
  /** Offset after the last complete call. */
  readonly end: number
  /** Bytes before `end` outside of complete calls. A crash only affects the end of the log, so this is damage. */
  readonly damagedBytes: number
  /** Bytes after `end`. */
  readonly tailBytes: number
  /** Whether a later version wrote the tail, which must not be truncated or moved then. */
  readonly newer: boolean
}

const LINE_BREAK = 10

/** Passes on every complete call of a segment, in order. */
export function readCalls(segment: Buffer, onCall: (call: LoggedCall) => void): SegmentReading {
  const calls = walkCalls(segment)
  for (let step = calls.next(); ; step = calls.next()) {
    if (step.done) return step.value
    onCall(step.value)
  }
}

/** Yields every complete call of a segment, in order. */
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
      // Followed by a complete call of this version, a line that looks newer is damage.
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
