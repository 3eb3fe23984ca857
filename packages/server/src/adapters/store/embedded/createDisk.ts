import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { messageOf } from '../../../errors.ts'
import type { WriteBatch } from './createWriter.ts'
import { reopenLevel } from './openLevel.ts'
import { attempt, type Level } from './source.ts'

/** A write that failed; its callers got an error. */
export type WriteFailed = { readonly code: 'write_failed'; readonly file: string; readonly detail: string }

/** Receives reports; must not throw. */
export type OnWriteFailed = (report: WriteFailed) => void

/** The database as writers and readers see it. */
export type Disk = {
  /** Returns the open database. @throws StoreUnavailableError if it is closed or cannot be opened again */
  level(): Promise<Level>
  readonly write: WriteBatch
  close(): Promise<void>
}

/** Changes that are handed over in one turn of the event loop. */
const CHANGES_A_TURN = 1_024
/** Room in bytes that must be there before a database is opened again. */
const ROOM = 1024 * 1024

/**
 * Guards a database against what a failed write leaves in its log: a torn record, behind which later ones could be lost.
 * It refuses writes until the disk takes some again, and then opens the database anew, which ends that log.
 */
export function createDisk(level: Level, directory: string, onReport: OnWriteFailed): Disk {
  let isTorn = false
  let closed = false
  let opening: Promise<void> | undefined

  const failed = (error: unknown): StoreUnavailableError => {
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    const detail = `Cannot write to ${directory}: ${messageOf(reason)}`
    onReport({ code: 'write_failed', file: directory, detail })
    return new StoreUnavailableError(detail, { cause: error })
  }
  const reopen = (): Promise<void> => {
    opening ??= reopenLevel(level, directory).finally(() => {
      opening = undefined
    })
    return opening
  }
  const current = async (): Promise<Level> => {
    if (closed) throw new StoreUnavailableError('The store is closed')
    await opening
    if (level.status !== 'open') await reopen()
    return level
  }

  return {
    level: () => attempt(current),
    async write(changes, sync) {
      try {
        if (isTorn) {
          await checkRoom(directory)
          await reopen()
          isTorn = false
        }
        const batch = (await current()).batch()
        let changed = 0
        for (const [key, value] of changes) {
          changed += 1
          if (changed % CHANGES_A_TURN === 0) await nextTurn()
          if (value === undefined) batch.del(key)
          else batch.put(key, value)
        }
        isTorn = true
        await batch.write({ sync })
        isTorn = false
      } catch (error) {
        throw failed(error)
      }
    },
    async close() {
      closed = true
      await opening?.catch(() => undefined)
      await level.close()
    },
  }
}

/** Writes a file and removes it. Rejects if the disk takes no more. */
async function checkRoom(directory: string): Promise<void> {
  const path = join(directory, `room.${randomUUID()}.tmp`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(Buffer.alloc(ROOM, 1))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}
