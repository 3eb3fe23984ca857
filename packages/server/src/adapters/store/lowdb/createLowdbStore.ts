import { join } from 'node:path'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { DAY, HOUR } from '../../../domain/facts/times.ts'
import { makeFolder } from '../../../durable/durableFiles.ts'
import { messageOf } from '../../../errors.ts'
import type { Store } from '../../../ports/oldStore.ts'
import { createClaimBook } from '../createClaimBook.ts'
import { createFactIndex } from '../createFactIndex.ts'
import { type Compaction, compactLog } from './compactLog.ts'
import { createDocuments } from './createDocuments.ts'
import { createLogState } from './createLogState.ts'
import { createLogWriter } from './createLogWriter.ts'
import { removeTemporaryFiles } from './damagedFiles.ts'
import { lockFolder } from './folderLock.ts'
import { type OpenLogFile, openLogFile } from './logFile.ts'
import type { LogRecord } from './logLine.ts'
import { replayLog } from './replayLog.ts'
import type { OnReport } from './report.ts'

/** Options of `createLowdbStore`. */
export type LowdbStoreOptions = {
  /** Data folder, created if missing. */
  readonly directory: string
  /** Receives problems for the operator. @default ignored */
  readonly onReport?: OnReport
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
  /** Size in bytes from which a log segment is followed by a new one. @default 64 MiB */
  readonly segmentBytes?: number
  /** Delay in ms before changed documents are written, to batch them. @default 10000 */
  readonly flushDelayMs?: number
  /** Age in days, relative to the newest observation, at which observations are folded into days. @default 90 */
  readonly retentionDays?: number
  /** Opens the files of the log. @default `openLogFile` */
  readonly openFile?: OpenLogFile
}

/** The embedded store. */
export type LowdbStore = Store & {
  /** Writes changed documents now instead of after the delay. */
  flush(): Promise<void>
  /** Folds observations past the retention and removes obsolete records from the log; runs by itself each hour. */
  compact(): Promise<Compaction>
}

/**
 * Opens the embedded store: an append-only log as the source of truth, and documents derived from it.
 *
 * All records are in memory. The log is written through; documents are written later. One process owns a data folder.
 * @throws StoreOpenError if another process owns the folder, or it cannot be created or read
 */
export async function createLowdbStore(options: LowdbStoreOptions): Promise<LowdbStore> {
  const { directory } = options
  const onReport = options.onReport ?? (() => undefined)
  const folders = { log: join(directory, 'log'), documents: join(directory, 'documents') }
  try {
    for (const folder of [directory, ...Object.values(folders)]) await makeFolder(folder)
  } catch (cause) {
    throw new StoreOpenError(`Cannot use the data folder ${directory}: ${messageOf(cause)}`, { cause })
  }
  let refuse = (_reason: string): void => undefined
  const onLost = () => refuse(`Another process has taken the data folder ${directory}`)
  const lock = await lockFolder(directory, onReport, onLost)
  try {
    const store = await openFolders(options, folders, onReport)
    refuse = store.refuse
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= store.close().finally(lock.release)
      return closing
    }
    return { ...store.parts, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openFolders(
  options: LowdbStoreOptions,
  folders: { readonly log: string; readonly documents: string },
  onReport: OnReport,
) {
  const now = options.now ?? Date.now
  for (const folder of Object.values(folders)) await removeTemporaryFiles(folder)
  const flushDelayMs = options.flushDelayMs ?? 10_000
  const documents = await createDocuments({ directory: folders.documents, flushDelayMs, onReport })
  const facts = createFactIndex()
  const claims = createClaimBook({ persist: (data) => write([{ type: 'claim', data }]), now })
  const state = createLogState({ facts, claims, documents })
  const end = await replayLog(folders.log, state.restore, onReport)
  const log = createLogWriter({
    directory: folders.log,
    // A damaged log may end before the documents do; do not reuse its sequence numbers.
    end: { ...end, nextSeq: Math.max(end.nextSeq, documents.lastSeq() + 1) },
    segmentBytes: options.segmentBytes ?? 64 * 1024 * 1024,
    openFile: options.openFile ?? openLogFile,
    onReport,
  })
  documents.start()

  const write = async (records: readonly LogRecord[]): Promise<void> => {
    const place = await log.append(records)
    state.apply(records, place)
  }

  const compact = oneAtATime(() => {
    const retentionMs = (options.retentionDays ?? 90) * DAY
    const foldBefore = Math.floor((facts.newestObservationAt() - retentionMs) / DAY) * DAY
    const { currentSegment } = log
    return compactLog({ directory: folders.log, facts, state, write, currentSegment, foldBefore, now: now() })
  })
  const timer = setInterval(() => {
    compact().catch((error) => {
      onReport({ code: 'write_failed', file: folders.log, detail: `Compaction failed: ${messageOf(error)}` })
    })
  }, HOUR)
  timer.unref()

  const parts: Omit<LowdbStore, 'close'> = {
    ...facts.reads,
    async append(added) {
      if (added.length > 0) await write(added.map((data) => ({ type: 'fact', data })))
    },
    putHost: (data) => write([{ type: 'host', data }]),
    getHost: async (host) => documents.get(host)?.document,
    async *hosts() {
      for (const { document } of documents.all()) yield document
    },
    claims,
    flush: documents.flush,
    compact,
  }
  const close = async (): Promise<void> => {
    clearInterval(timer)
    await log.close()
    await compact.settled()
    await documents.close()
  }
  return { parts, close, refuse: log.refuse }
}

/** Coalesces calls: those during a run share its result. */
function oneAtATime<T>(work: () => Promise<T>): (() => Promise<T>) & { settled(): Promise<void> } {
  let running: Promise<T> | undefined
  const run = (): Promise<T> => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
  return Object.assign(run, { settled: async () => void (await running?.catch(() => undefined)) })
}
