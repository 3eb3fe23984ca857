import { rm } from 'node:fs/promises'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { makeFolder } from '../../../durable/durableFiles.ts'
import { createLevel, hasStore, levelFolder } from './openLevel.ts'
import { attempt, type Level } from './source.ts'

/** Bytes that one batch of the copy holds. */
const BATCH_BYTES = 256 * 1024
const ROWS_AT_ONCE = 512

/**
 * Copies a database as it is at the call into another data folder, while reading and writing go on.
 * @throws StoreOpenError if that folder holds a store
 * @throws StoreUnavailableError if reading or writing fails; what was copied is removed
 */
export async function copyLevel(level: Level, directory: string): Promise<void> {
  const refusal = `Cannot copy the store to ${directory}: it holds a store or cannot be written`
  if (await hasStore(directory)) throw new StoreOpenError(refusal)
  const snapshot = level.snapshot()
  const folder = levelFolder(directory)
  const target = createLevel(folder)
  try {
    await makeFolder(directory)
    await makeFolder(folder)
    await target.open()
  } catch (cause) {
    await snapshot.close()
    throw new StoreOpenError(refusal, { cause })
  }
  try {
    await attempt(() => copyRows(level, target, snapshot))
    await target.close()
  } catch (error) {
    await target.close()
    await rm(folder, { recursive: true, force: true })
    throw error
  } finally {
    await snapshot.close()
  }
}

async function copyRows(level: Level, target: Level, snapshot: ReturnType<Level['snapshot']>): Promise<void> {
  // Rows that are read once must not push others out of the cache.
  const iterator = level.iterator({ snapshot, fillCache: false, highWaterMarkBytes: BATCH_BYTES })
  try {
    for (;;) {
      const rows = await iterator.nextv(ROWS_AT_ONCE)
      // The last, empty batch makes all before it durable.
      const batch = target.batch()
      for (const [key, value] of rows) batch.put(key, value)
      await batch.write({ sync: rows.length === 0 })
      if (rows.length === 0) return
    }
  } finally {
    await iterator.close()
  }
}
