import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import type { Place } from './liveness.ts'
import type { LogFile, OpenLogFile } from './logFile.ts'
import { encodeCall, type LogRecord } from './logLine.ts'
import type { LogEnd } from './replayLog.ts'
import { type OnReport, reasonOf } from './report.ts'
import { segmentPath } from './segmentFiles.ts'

/** What a log writer needs. */
export type LogWriterDeps = {
  readonly directory: string
  readonly end: LogEnd
  /** A segment that has reached this size is followed by a new one. */
  readonly segmentBytes: number
  readonly openFile: OpenLogFile
  readonly onReport: OnReport
}

/** Writes calls to the end of the log. */
export type LogWriter = {
  /**
   * Resolves once all of the call's records are on disk, in the order of the calls.
   *
   * @throws StoreUnavailableError when they could not be written; then none of them is there.
   */
  append(records: readonly LogRecord[]): Promise<Place>
  /** The segment that is being written; those with lower numbers do not change any more. */
  currentSegment(): number
  /** Refuses every call from now on, for this reason. */
  refuse(reason: string): void
  /** Waits for the calls under way, then refuses. */
  close(): Promise<void>
}

type Call = {
  readonly seq: number
  readonly bytes: Buffer
  readonly resolve: (place: Place) => void
  readonly reject: (error: Error) => void
}

/** Bytes that one write may hold, unless a single call is larger. */
const BATCH_BYTES = 4 * 1024 * 1024
/** Bytes that may wait; a disk that is this far behind is as good as away. */
const WAITING_BYTES = 256 * 1024 * 1024

/**
 * Opens the end of a log for writing.
 *
 * Calls that come while a write is under way go into the next one together: one write and one `fdatasync` for all.
 * After a failed write the file is cut back to what was acknowledged before anything else is written.
 */
export function createLogWriter(deps: LogWriterDeps): LogWriter {
  const { directory, segmentBytes, openFile, onReport } = deps
  let { nextSeq } = deps.end
  let segment = deps.end.segment ?? { number: 1, bytes: 0 }
  let file: LogFile | undefined
  let dirty = false
  const waiting: Call[] = []
  let waitingBytes = 0
  let running: Promise<void> | undefined
  let refusal: string | undefined

  const append = (records: readonly LogRecord[]): Promise<Place> => {
    if (refusal !== undefined) return Promise.reject(new StoreUnavailableError(refusal))
    const seq = nextSeq++
    const bytes = Buffer.from(encodeCall(seq, records))
    if (waitingBytes > 0 && waitingBytes + bytes.length > WAITING_BYTES) {
      return Promise.reject(new StoreUnavailableError('The disk cannot keep up with what is to be written.'))
    }
    waitingBytes += bytes.length
    const result = new Promise<Place>((resolve, reject) => {
      waiting.push({ seq, bytes, resolve, reject })
    })
    running ??= drain()
    return result
  }

  const drain = async (): Promise<void> => {
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        await writeBatch(batch)
        for (const call of batch) {
          call.resolve({ seq: call.seq, segment: segment.number, bytes: call.bytes.length })
        }
      } catch (cause) {
        const detail = `A write failed: ${reasonOf(cause)}`
        onReport({ code: 'write_failed', file: segmentPath(directory, segment.number), detail })
        for (const call of batch) call.reject(new StoreUnavailableError(detail, { cause }))
      }
    }
    running = undefined
  }

  const takeBatch = (): Call[] => {
    let count = 0
    let bytes = 0
    for (const call of waiting) {
      if (count > 0 && bytes + call.bytes.length > BATCH_BYTES) break
      bytes += call.bytes.length
      count += 1
    }
    waitingBytes -= bytes
    return waiting.splice(0, count)
  }

  const writeBatch = async (batch: readonly Call[]): Promise<void> => {
    if (refusal !== undefined && !file) throw new StoreUnavailableError(refusal)
    const target = await writableFile()
    const bytes =
      batch.length === 1 && batch[0] ? batch[0].bytes : Buffer.concat(batch.map((call) => call.bytes))
    dirty = true
    await target.write(bytes, segment.bytes)
    await target.sync()
    dirty = false
    segment = { number: segment.number, bytes: segment.bytes + bytes.length }
  }

  /** The file to write to, without remains of a failed write, and not yet full. */
  const writableFile = async (): Promise<LogFile> => {
    file ??= await openFile(segmentPath(directory, segment.number))
    const failedBefore = dirty
    if (dirty) {
      await file.truncate(segment.bytes)
      dirty = false
    }
    if (segment.bytes >= segmentBytes || (failedBefore && segment.bytes > 0)) {
      const next = await openFile(segmentPath(directory, segment.number + 1))
      await file.close().catch(() => undefined)
      file = next
      segment = { number: segment.number + 1, bytes: 0 }
    }
    return file
  }

  return {
    append,
    currentSegment: () => segment.number,
    refuse(reason) {
      refusal ??= reason
    },
    async close() {
      refusal ??= 'The store is closed.'
      await running
      await file?.close()
      file = undefined
    },
  }
}
