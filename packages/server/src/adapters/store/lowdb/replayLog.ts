import { copyFile, link, open, readFile, truncate } from 'node:fs/promises'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { moveAside, pathAside, replaceFile } from './durableFile.ts'
import { encodeLines } from './logLine.ts'
import { type LoggedCall, readCalls } from './readCalls.ts'
import { codeOf, type OnReport, reasonOf } from './report.ts'
import { listSegments, type SegmentFile } from './segmentFiles.ts'

/** Where a log ends: what the next write needs to know. */
export type LogEnd = {
  readonly nextSeq: number
  /** Number and bytes of the youngest segment; undefined for an empty log. */
  readonly segment: { readonly number: number; readonly bytes: number } | undefined
}

/**
 * Hands over every call of the log, oldest first, and leaves the log whole: an unfinished end is cut off, a
 * damaged segment is moved aside and what can be read of it takes its place.
 *
 * @throws StoreOpenError when a segment cannot be read for lack of rights, or a newer version wrote it.
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
    if (reading.newer) {
      throw new StoreOpenError(`${segment.path} was written by a newer version of this program.`)
    }
    const isLast = index === segments.length - 1
    let size = bytes.length
    if (reading.damagedBytes > 0 || (reading.tailBytes > 0 && !isLast)) {
      size = await salvage(segment, bytes, reading.damagedBytes + reading.tailBytes, onReport)
    } else if (reading.tailBytes > 0) {
      size = reading.end
      await cutOff(segment, reading.end, reading.tailBytes, onReport)
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
      throw new StoreOpenError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error })
    }
    const aside = await moveAside(path)
    onReport({
      code: 'corrupt_segment',
      file: path,
      detail: `It cannot be read (${reasonOf(error)}) and is now ${aside}.`,
    })
    return undefined
  }
}

async function cutOff({ path }: SegmentFile, end: number, cut: number, onReport: OnReport): Promise<void> {
  await truncate(path, end)
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  onReport({
    code: 'torn_tail',
    file: path,
    detail: `The last ${cut} bytes were a write that never finished; they are cut off.`,
  })
}

/** Keeps the damaged file in `corrupt/` and leaves its whole calls in place; at no moment are both gone. */
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
  onReport({
    code: 'corrupt_segment',
    file: path,
    detail: `${lost} bytes are damaged; the file is kept as ${aside}, and the ${whole.length} calls that are whole stay in use.`,
  })
  return content.length
}
