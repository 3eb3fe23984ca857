import { copyFile, link, readFile } from 'node:fs/promises'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { replaceFile } from '../../../durable/durableFiles.ts'
import { codeOf, messageOf } from '../../../errors.ts'
import { moveAside, pathAside } from './damagedFiles.ts'
import { openLogFile } from './logFile.ts'
import { encodeLines } from './logLine.ts'
import { type LoggedCall, readCalls } from './readCalls.ts'
import type { OnReport } from './report.ts'
import { listSegments, type SegmentFile } from './segmentFiles.ts'

/** End of a log, where the next write continues. */
export type LogEnd = {
  readonly nextSeq: number
  /** The newest segment; undefined if the log is empty. */
  readonly segment: { readonly number: number; readonly bytes: number } | undefined
}

/**
 * Passes on every call of the log, oldest first, and repairs the log: truncates an unfinished end, and moves a damaged
 * segment aside, leaving its readable calls in place.
 * @throws StoreOpenError if a segment cannot be read by this user, or a newer version wrote it
 */
export async function replayLog(
  directory: string,
  onCall: (call: LoggedCall, segment: number) => void,
  onReport: OnReport,
): Promise<LogEnd> {
  const segments = await listSegments(directory)
  let nextSeq = 1
  let end: LogEnd['segment']
  for (const [index, segment] of segments.entries()) {
    const bytes = await readSegment(segment, onReport)
    if (!bytes) continue
    const reading = readCalls(bytes, (call) => {
      nextSeq = Math.max(nextSeq, call.seq + 1)
      onCall(call, segment.number)
    })
    if (reading.newer) throw new StoreOpenError(`A newer version of this program wrote ${segment.path}`)
    const isLast = index === segments.length - 1
    let size = bytes.length
    if (reading.damagedBytes > 0 || (reading.tailBytes > 0 && !isLast)) {
      size = await salvage(segment, bytes, reading.damagedBytes + reading.tailBytes, onReport)
    } else if (reading.tailBytes > 0) {
      size = reading.end
      await truncateTail(segment, reading.end, reading.tailBytes, onReport)
    }
    end = { number: segment.number, bytes: size }
  }
  return { nextSeq, segment: end }
}

async function readSegment({ path }: SegmentFile, onReport: OnReport): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(codeOf(error) ?? '')) {
      throw new StoreOpenError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error })
    }
    const aside = await moveAside(path)
    const detail = `Cannot read the segment (${messageOf(error)}); moved it to ${aside}`
    onReport({ code: 'corrupt_segment', file: path, detail })
    return undefined
  }
}

async function truncateTail(
  { path }: SegmentFile,
  end: number,
  cut: number,
  onReport: OnReport,
): Promise<void> {
  const file = await openLogFile(path)
  try {
    await file.truncate(end)
  } finally {
    await file.close()
  }
  onReport({ code: 'torn_tail', file: path, detail: `Removed ${cut} bytes of a write that never finished` })
}

/** Copies a damaged segment to `corrupt/`, then replaces it with its complete calls. At no time are both missing. */
async function salvage(
  { path }: SegmentFile,
  bytes: Buffer,
  lost: number,
  onReport: OnReport,
): Promise<number> {
  const whole: string[] = []
  readCalls(bytes, ({ seq, lines }) => whole.push(encodeLines(seq, lines)))
  const aside = await pathAside(path)
  await link(path, aside).catch(() => copyFile(path, aside))
  const content = Buffer.from(whole.join(''))
  await replaceFile(path, content)
  const detail = `${lost} bytes are damaged; copied the segment to ${aside} and kept its ${whole.length} intact calls`
  onReport({ code: 'corrupt_segment', file: path, detail })
  return content.length
}
