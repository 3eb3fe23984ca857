import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { ifPresent } from '../../../durable/durableFiles.ts'

/** Version 0.1 touches its lock every 2 s. */
const WATCH_MS = 5000
/** Age from which a lock needs no watching. */
const SILENT_MS = 20_000

/**
 * Refuses a folder that a process of version 0.1 uses. Waits up to 5 s to see whether the owner of a lock still shows.
 * @throws StoreOpenError if it does
 */
export async function refuseWhileInUse(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => /^lock\.\d{1,15}$/.test(name))
  const newest = names.sort((a, b) => Number(a.slice(5)) - Number(b.slice(5))).at(-1)
  if (newest === undefined) return
  const path = join(directory, newest)
  if ((await ifPresent(readFile(path, 'utf8')))?.includes('"released":true')) return
  const shownAt = await timeOf(path)
  if (Date.now() - shownAt > SILENT_MS) return
  for (let waited = 0; waited < WATCH_MS; waited += 500) {
    await sleep(500)
    if ((await timeOf(path)) > shownAt) {
      throw new StoreOpenError(`A process of version 0.1 uses ${directory}: stop it before the upgrade`)
    }
  }
}

async function timeOf(path: string): Promise<number> {
  return (await ifPresent(stat(path)))?.mtimeMs ?? 0
}
