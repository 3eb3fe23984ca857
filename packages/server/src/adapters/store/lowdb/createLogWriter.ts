import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { messageOf } from '../../../errors.ts'
import type { Place } from './createLogState.ts'
import type { LogFile, OpenLogFile } from './logFile.ts'
import { encodeCall, type LogRecord } from './logLine.ts'
import type { LogEnd } from './replayLog.ts'
import type { OnReport } from './report.ts'
import { segmentPath } from './segmentFiles.ts'

/** Dependencies of a log writer. */
export type LogWriterDeps = {
  readonly directory: string
  readonly end: LogEnd
  /** Size in bytes from which a segment is followed by a new one. */
  readonly segmentBytes: number
  readonly openFile: OpenLogFile
  readonly onReport: OnReport
}

/** Appends calls to the log. */
export type LogWriter = {
  /**
   * Appends a call. Resolves once all of its records are on disk; calls resolve in order.
   * @throws StoreUnavailableError if it could not be written; then none of its records is in the log
   */
  append(records: readonly LogRecord[]): Promise<Place>
  /** Number of the segment being written; lower ones no longer change. */
  currentSegment(): number
  /** Refuses every later call, for this reason. */
  refuse(reason: string): void
  /** Waits for pending calls, then refuses. */
  close(): Promise<void>
}

type Call = {
  readonly seq: number
  readonly bytes: Buffer
  readonly resolve: (place: Place) => void
  readonly reject: (error: Error) => void
}

/** Maximum size of one write, unless a single call is larger. */
const BATCH_BYTES = 4 * 1024 * 1024
/** Maximum size of the queue; beyond it the disk is treated as failed. */
const WAITING_BYTES = 256 * 1024 * 1024

/**
 * Opens the end of a log for writing.
 *
 * Calls that arrive during a write are batched into the next one, with one `fdatasync` for all.
 * After a failed write the file is truncated to the acknowledged calls before the next write.
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

  const append = async (records: readonly LogRecord[]): Promise<Place> => {
    if (refusal !== undefined) throw new StoreUnavailableError(refusal)
    const seq = nextSeq++
    const bytes = Buffer.from(encodeCall(seq, records))
    if (waitingBytes > 0 && waitingBytes + bytes.length > WAITING_BYTES) {
      throw new StoreUnavailableError('The disk cannot keep up with the writes')
    }
    waitingBytes += bytes.length
    return new Promise<Place>((resolve, reject) => {
      waiting.push({ seq, bytes, resolve, reject })
      running ??= drain()
    })
  }

  const drain = async (): Promise<void> => {
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        await writeBatch(batch)
        for (const { seq, bytes, resolve } of batch) {
          resolve({ seq, segment: segment.number, bytes: bytes.length })
        }
      } catch (cause) {
        const detail = `A write failed: ${messageOf(cause)}`
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
    const bytes = Buffer.concat(batch.map((call) => call.bytes))
    dirty = true
    await target.write(bytes, segment.bytes)
    await target.sync()
    dirty = false
    segment = { number: segment.number, bytes: segment.bytes + bytes.length }
  }

  /** Returns the file to write to: without remains of a failed write, and not yet full. */
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
      refusal ??= 'The store is closed'
      await running
      await file?.close()
      file = undefined
    },
  }
}
