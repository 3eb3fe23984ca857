import { join } from 'node:path'
import type { WitnessBook, Witnessed } from '@touchstone402/transparency/witness'
import { Low } from 'lowdb'
import { z } from 'zod'
import { documentFile, makeDataFolder } from '../lib/durableFiles.ts'
import { lockFile } from '../lib/lockFile.ts'

/** The book of a witness that runs. */
export type OpenWitnessBook = WitnessBook & { close(): Promise<void> }

const BookSchema = z.record(
  z.string(),
  z.object({ size: z.int().min(0), root: z.string(), note: z.string() }),
)

/**
 * Opens the book of a witness in its data folder: one small file, replaced atomically.
 * @throws StoreOpenError if another process has it open
 * @throws Error if the file is none of a witness
 */
export async function openWitnessBook(directory: string): Promise<OpenWitnessBook> {
  await makeDataFolder(directory, 'WITNESS_DATA_DIR')
  const unlock = lockFile(join(directory, 'witness.lock'))
  const path = join(directory, 'witness-book.json')
  const book = new Low<Record<string, Witnessed> | null>(
    documentFile(path, (text) => BookSchema.parse(JSON.parse(text))),
    null,
  )
  await book.read()
  let last: Promise<unknown> = Promise.resolve()
  return {
    read: async (origin) => book.data?.[origin],
    write(origin, witnessed) {
      // An entry of its own for any name, such as `__proto__`.
      book.data = Object.fromEntries([...Object.entries(book.data ?? {}), [origin, witnessed]])
      // One after the other: an older file that came last would take back what another log was cosigned for.
      const written = last.then(() => book.write())
      last = written.catch(() => undefined)
      return written
    },
    close: async () => unlock(),
  }
}
