import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { replaceFile } from './durableFile.ts'
import { codeOf, type OnReport, reasonOf } from './report.ts'

/** Ownership of a data folder. */
export type FolderLock = {
  /** Gives the folder back. */
  release(): Promise<void>
}

/** Who holds a lock: enough to tell whether that very process still runs. */
type Owner = {
  readonly pid: number
  readonly hostname: string
  /** The boot and the process namespace that the id belongs to; null where the system does not tell. */
  readonly system: string | null
  /** When the process started, in the kernel's own count; null where the system does not tell. */
  readonly started: string | null
  readonly token: string
}

/** How often the owner shows that it is there. */
const BEAT_MS = 2_000
/** An owner in another container or on another machine that has not shown itself for this long is taken for dead. */
const SILENT_MS = 20_000

/**
 * Takes a data folder for this process.
 *
 * Locks are numbered and a number is never used twice: who finds the newest lock free or its process dead makes the
 * next one, which only one of many can do. `onLost` is called when somebody else has taken the folder nevertheless.
 *
 * @throws StoreOpenError when another process holds the folder.
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
      // A full disk must not keep the folder locked.
      await replaceFile(mine, '{"released":true}').catch(() => rm(mine, { force: true }))
    },
  }
}

/** Makes the next lock if the newest one is nobody's; undefined when another was quicker and all is to be looked at again. */
async function takeNext(directory: string, offer: string, onReport: OnReport): Promise<string | undefined> {
  const newest = (await lockNumbers(directory)).at(-1) ?? 0
  const before = lockPath(directory, newest)
  const owner = newest > 0 ? await readOwner(before) : undefined
  const who = owner && `process ${owner.pid} on ${owner.hostname}`
  if (owner && (await isAlive(owner, before))) {
    throw new StoreOpenError(
      `The data folder ${directory} is in use by ${who}; one process owns a data folder.`,
    )
  }
  const path = lockPath(directory, newest + 1)
  if (!(await placed(offer, path))) return undefined
  const numbers = await lockNumbers(directory)
  if (numbers.at(-1) !== newest + 1) {
    // The number was used and cleared away while this process looked at the one before it.
    await rm(path, { force: true })
    return undefined
  }
  for (const number of numbers.slice(0, -1)) await rm(lockPath(directory, number), { force: true })
  if (who) onReport({ code: 'stale_lock', file: before, detail: `It was held by ${who}, which is gone.` })
  return path
}

function lockPath(directory: string, number: number): string {
  return join(directory, `lock.${number}`)
}

async function lockNumbers(directory: string): Promise<number[]> {
  const numbers = (await readdir(directory)).flatMap((name) => {
    const digits = /^lock\.(\d{1,15})$/.exec(name)?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
  return numbers.sort((a, b) => a - b)
}

/** A hard link is the one way to make a file with its content in one step that fails if the name is taken. */
async function placed(offer: string, path: string): Promise<boolean> {
  try {
    await link(offer, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new StoreOpenError(`Cannot lock the data folder with ${path}: ${reasonOf(error)}`, { cause: error })
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
  // A process id is used again after a while, and in a container it is nearly always the same one.
  const started = await startOf(owner.pid)
  return owner.started === null || started === null || started === owner.started
}

/** What process ids are unique in: one boot, and within it one process namespace, such as a container. */
async function thisSystem(): Promise<string | null> {
  try {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    return `${boot} ${await readlink('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** Start time of a process, from `/proc`; null where there is none. */
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
    const { pid, hostname, system, started, token } = JSON.parse(await readFile(path, 'utf8'))
    if (!Number.isSafeInteger(pid) || pid <= 0 || typeof hostname !== 'string' || typeof token !== 'string') {
      return undefined
    }
    const text = (value: unknown) => (typeof value === 'string' ? value : null)
    return { pid, hostname, token, system: text(system), started: text(started) }
  } catch {
    return undefined
  }
}
