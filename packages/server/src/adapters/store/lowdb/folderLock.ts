import { randomUUID } from 'node:crypto'
import { link, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { replaceFile } from '../../../durable/durableFiles.ts'
import { codeOf, messageOf } from '../../../errors.ts'
import type { OnReport } from './report.ts'
import { listNumbers } from './segmentFiles.ts'

/** Ownership of a data folder. */
export type FolderLock = {
  release(): Promise<void>
}

const OwnerSchema = z.object({
  pid: z.int().check(z.positive()),
  hostname: z.string(),
  /** Boot and process namespace of the id; null if the system does not tell. */
  system: z.catch(z.nullable(z.string()), null),
  /** Start time of the process in kernel ticks; null if the system does not tell. */
  started: z.catch(z.nullable(z.string()), null),
  token: z.string(),
})

/** Holder of a lock, with enough to tell whether that process still runs. */
type Owner = z.infer<typeof OwnerSchema>

/** Interval of the owner's heartbeat. */
const BEAT_MS = 2_000
/** Silence after which an owner in another container or on another machine counts as dead. */
const SILENT_MS = 20_000

/**
 * Locks a data folder for this process.
 *
 * Locks are numbered and a number is never reused: a process that finds the newest lock free, or its owner dead, creates
 * the next one, and only one process can.
 * @param onLost called if another process takes the folder nevertheless
 * @throws StoreOpenError if another process holds the folder
 */
export async function lockFolder(
  directory: string,
  onReport: OnReport,
  onLost: () => void,
): Promise<FolderLock> {
  const token = randomUUID()
  const me: Owner = {
    pid: process.pid,
    hostname: hostname(),
    system: await thisSystem(),
    started: await startOf('self'),
    token,
  }
  const offer = join(directory, `lock.${token}.tmp`)
  await writeFile(offer, JSON.stringify(me), { mode: 0o600 })
  let path: string | undefined
  try {
    while (path === undefined) path = await takeNext(directory, offer, onReport)
  } finally {
    await rm(offer, { force: true })
  }

  const mine = path
  const beat = setInterval(() => void keepAlive(), BEAT_MS)
  beat.unref()
  const keepAlive = async (): Promise<void> => {
    if ((await readOwner(mine))?.token === token) {
      await utimes(mine, new Date(), new Date()).catch(() => undefined)
    } else {
      clearInterval(beat)
      onLost()
    }
  }

  return {
    async release() {
      clearInterval(beat)
      if ((await readOwner(mine))?.token !== token) return
      // On a full disk, remove the lock instead.
      await replaceFile(mine, '{"released":true}').catch(() => rm(mine, { force: true }))
    },
  }
}

/** Creates the next lock if the newest one is free. Returns undefined if it lost a race and must retry. */
async function takeNext(directory: string, offer: string, onReport: OnReport): Promise<string | undefined> {
  const newest = (await lockNumbers(directory)).at(-1) ?? 0
  const before = lockPath(directory, newest)
  const owner = newest > 0 ? await readOwner(before) : undefined
  const who = owner && `process ${owner.pid} on ${owner.hostname}`
  if (owner && (await isAlive(owner, before))) {
    throw new StoreOpenError(
      `The data folder ${directory} is in use by ${who}; only one process can use a data folder`,
    )
  }
  const path = lockPath(directory, newest + 1)
  if (!(await placed(offer, path))) return undefined
  const numbers = await lockNumbers(directory)
  if (numbers.at(-1) !== newest + 1) {
    // Another process used and removed this number in the meantime.
    await rm(path, { force: true })
    return undefined
  }
  for (const number of numbers.slice(0, -1)) await rm(lockPath(directory, number), { force: true })
  if (who)
    onReport({ code: 'stale_lock', file: before, detail: `Took over the lock of ${who}, which is gone` })
  return path
}

function lockPath(directory: string, number: number): string {
  return join(directory, `lock.${number}`)
}

function lockNumbers(directory: string): Promise<number[]> {
  return listNumbers(directory, /^lock\.(\d{1,15})$/)
}

/** Places the lock file. A hard link is the only way to create a file with content that fails if the name is taken. */
async function placed(offer: string, path: string): Promise<boolean> {
  try {
    await link(offer, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new StoreOpenError(`Cannot lock the data folder with ${path}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

async function isAlive(owner: Owner, path: string): Promise<boolean> {
  if (owner.hostname !== hostname() || owner.system !== (await thisSystem())) {
    const shownAt = (await stat(path).catch(() => undefined))?.mtimeMs
    return shownAt !== undefined && Date.now() - shownAt < SILENT_MS
  }
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  // Process ids are reused; in a container it is nearly always the same one.
  const started = await startOf(owner.pid)
  return owner.started === null || started === null || started === owner.started
}

/** Returns the scope in which process ids are unique: a boot and a process namespace, such as a container. */
async function thisSystem(): Promise<string | null> {
  try {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    return `${boot} ${await readlink('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** Returns the start time of a process from `/proc`, or null. */
async function startOf(pid: number | 'self'): Promise<string | null> {
  try {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\)/s, '').trim().split(' ')
    return fields[19] ?? null
  } catch {
    return null
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return OwnerSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}
