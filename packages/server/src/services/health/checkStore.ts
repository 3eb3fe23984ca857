import { randomBytes } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { DAY } from '../../facts/times.ts'
import { readDocument } from '../../store/documents.ts'
import type { Store } from '../../store/store.ts'
import type { Check, Finding } from './createHealth.ts'

export type StoreCheckDeps = {
  readonly store: Store
  /** The audit's clock. */
  readonly now: () => number
  /** Folder whose disk must have space. */
  readonly dataDir: string
  /** Whether the store itself is in the folder. */
  readonly isInFolder: boolean
}

const EVERY_MS = 10_000
const KIND = 'health'
/** A file grows by a write-ahead log of up to this size before a small write fails. */
const FULL_BYTES = 1024 ** 2
const LOW_BYTES = 256 * 1024 ** 2

/**
 * Reads the space on the disk of a folder.
 * @param isInFolder whether the store itself is in the folder
 * @returns free bytes, NaN if the file system does not tell; and what is wrong, null if nothing is
 */
export async function readDisk(
  folder: string,
  isInFolder: boolean,
): Promise<{ readonly freeBytes: number; readonly finding: Finding | null }> {
  // A file system that does not tell is left to the write.
  const disk = await statfs(folder).catch(() => null)
  const freeBytes = disk === null ? Number.NaN : disk.bavail * disk.bsize
  const bad = (level: Finding['level'], status: string, sentence: string) => ({
    freeBytes,
    finding: {
      level,
      status,
      sentence,
    },
  })
  if (freeBytes < FULL_BYTES && isInFolder)
    // Writes into space that the store already has would go on for a while, and then fail for a payment.
    return bad('down', 'disk full', 'the disk of DATA_DIR is full')
  if (freeBytes < LOW_BYTES)
    return bad(
      'degraded',
      'disk nearly full',
      `the disk of DATA_DIR has ${Math.floor(freeBytes / 1024 ** 2)} MB left`,
    )
  return {
    freeBytes,
    finding: null,
  }
}

/** Writes a small document, as every other part does, and reads it back; reads the space on disk. */
export function checkStore({ store, now, dataDir, isInFolder }: StoreCheckDeps): Check {
  // Of this process alone: several share a database.
  const id = randomBytes(9).toString('base64url')
  let [tookMs, freeBytes, writtenAt] = [Number.NaN, Number.NaN, performance.now()]

  return {
    name: 'store',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'down', status: 'unavailable', sentence: 'it cannot be written' },
    async run() {
      const startedAt = performance.now()
      const data = randomBytes(9).toString('base64url')
      await store.write('putDocument', { kind: KIND, id, expiresAt: now() + DAY, data }, now())
      const read = await readDocument(store, KIND, id, now())
      tookMs = performance.now() - startedAt
      if (read?.data !== data)
        return { level: 'down', status: 'unavailable', sentence: 'it does not return what was written' }
      writtenAt = performance.now()
      const disk = await readDisk(dataDir, isInFolder)
      freeBytes = disk.freeBytes
      return disk.finding ?? { level: 'ok', status: 'ok' }
    },
    addGauges({ gauge }) {
      gauge('store_write_seconds', 'Duration of the last test write.', () => tookMs / 1000)
      gauge(
        'store_written_age_seconds',
        'Time since the last test write that succeeded.',
        () => (performance.now() - writtenAt) / 1000,
      )
      gauge('disk_free_bytes', 'Space left on the disk of the data folder.', () => freeBytes)
    },
  }
}
