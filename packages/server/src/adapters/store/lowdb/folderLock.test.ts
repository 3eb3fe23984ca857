import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { lockFolder } from './folderLock.ts'
import type { StoreReport } from './report.ts'

const scratch = useScratchFolder()
const path = () => join(scratch(), 'lock.1')

function take(reports: StoreReport[] = [], onLost = () => {}) {
  return lockFolder(scratch(), (report) => reports.push(report), onLost)
}

/** Writes a lock of this process with some fields changed. */
async function foreignLock(changes: object): Promise<void> {
  const lock = await take()
  const owner = JSON.parse(await readFile(path(), 'utf8'))
  await lock.release()
  await writeFile(path(), JSON.stringify({ ...owner, token: 'x', ...changes }))
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

test('default: refuses a second owner and names the first, until it releases the lock', async () => {
  const lock = await take()
  await expect(take()).rejects.toThrow(StoreOpenError)
  await expect(take()).rejects.toThrow(`is in use by process ${process.pid} on ${hostname()}`)
  await lock.release()
  const next = await take()
  await next.release()
})

test('behavior: takes over the lock of a dead process and reports it', async () => {
  await foreignLock({ pid: await deadPid() })
  const reports: StoreReport[] = []
  const lock = await take(reports)
  expect(reports).toMatchObject([{ code: 'stale_lock', file: path() }])
  await lock.release()
})

test('behavior: ignores a lock whose process id was reused', async () => {
  await foreignLock({ started: '17' })
  const lock = await take()
  await lock.release()
})

test('behavior: an owner on another machine or in another container counts as alive until its heartbeat stops', async () => {
  for (const elsewhere of [{ hostname: 'elsewhere' }, { system: 'another boot or namespace' }]) {
    await rm(scratch(), { recursive: true })
    await mkdir(scratch())
    await foreignLock({ pid: await deadPid(), ...elsewhere })
    await expect(take()).rejects.toThrow('is in use by process')
    const longAgo = new Date(Date.now() - 3_600_000)
    await utimes(path(), longAgo, longAgo)
    const lock = await take()
    await lock.release()
  }
})

test('behavior: ignores an unreadable lock', async () => {
  for (const content of ['', '{', 'null', '{"pid":-1}']) {
    await rm(scratch(), { recursive: true })
    await mkdir(scratch())
    await writeFile(path(), content)
    const lock = await take()
    await lock.release()
  }
})

test('behavior: one of several processes that find a dead lock gets the folder', async () => {
  await foreignLock({ pid: await deadPid() })
  const dead = await readFile(path())
  for (let round = 0; round < 20; round++) {
    await writeFile(path(), dead)
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => take()))
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(won).toHaveLength(1)
    await won[0]?.release()
    for (const name of await readdir(scratch())) await rm(join(scratch(), name))
  }
})

test('behavior: the folder never has two owners while processes come and go', async () => {
  let owners = 0
  let turns = 0
  const comeAndGo = async () => {
    for (let attempt = 0; attempt < 40; attempt++) {
      const lock = await take().catch(() => undefined)
      if (!lock) continue
      owners += 1
      turns += 1
      expect(owners).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1))
      owners -= 1
      await lock.release()
    }
  }
  await Promise.all(Array.from({ length: 6 }, comeAndGo))
  expect(turns).toBeGreaterThan(6)
})

test('error: notifies an owner that lost its lock', { timeout: 15_000 }, async () => {
  let lost = false
  const lock = await take([], () => {
    lost = true
  })
  await rm(path())
  await expect.poll(() => lost, { timeout: 10_000, interval: 200 }).toBe(true)
  await lock.release()
})
