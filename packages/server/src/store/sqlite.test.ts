import { spawnSync } from 'node:child_process'
import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreOpenError } from '../facts/storeError.ts'
import { backUp } from './backUp.ts'
import { openStore, type StorePlace } from './openStore.ts'
import { openSqlite, openWriter, STORE_FILE } from './sqlite.ts'
import { aState } from './testing/documents.ts'
import { aListing, anObservation, aWantedClaim, NOON } from './testing/records.ts'
import { useScratchFolder } from './testing/scratch.ts'

const scratch = useScratchFolder()
const open = (more: Partial<StorePlace> = {}) => openStore({ databaseUrl: null, dataDir: scratch(), ...more })
const state = aState()

describe('openSqlite', () => {
  test('error: a second service is refused in one line; a command works beside the first', async () => {
    const store = await open()
    await store.putEndpoint(state)
    await expect(open()).rejects.toThrow(/^Another service uses this data folder/)
    const beside = await open({ isBeside: true })
    expect(await beside.endpoint(state.endpoint)).toEqual({ state })
    await beside.log.forget(0)
    await store.putEndpoint(state)
    await beside.expiring.remove('a', 'b')
    await beside.close()
    await store.close()
    await (await open()).close()
  })

  test('behavior: a lock that a killed service held is gone with it', async () => {
    const script = `
      import Database from 'libsql'
      const database = new Database(process.argv[1])
      database.exec('begin exclusive')
      process.kill(process.pid, 'SIGKILL')`
    const path = join(scratch(), 'touchstone.lock')
    const { signal } = spawnSync('node', ['--input-type=module', '-e', script, path], {
      cwd: import.meta.dirname,
    })
    expect(signal).toBe('SIGKILL')
    await (await open()).close()
  })

  test('behavior: a claim waits until the disk has it, so that a power cut loses none', async () => {
    await (await open()).close()
    const writer = openWriter(join(scratch(), STORE_FILE))
    const said: string[] = []
    for (const method of ['pragma', 'exec'] as const) {
      const run = Database.prototype[method]
      vi.spyOn(Database.prototype, method).mockImplementation(function (this: never, text: string) {
        said.push(text)
        return run.call(this, text) as never
      })
    }
    onTestFinished(() => void vi.restoreAllMocks())
    await writer.run('dropExpiredPayments', [NOON])
    await writer.run('claimPayment', [aWantedClaim()])
    await writer.close()
    expect(said).toEqual([
      'synchronous = normal',
      'begin immediate',
      'commit',
      'synchronous = full',
      'begin immediate',
      'commit',
    ])
  })

  test('error: data of a newer version, and a file that is no store', async () => {
    const engine = await openSqlite({ directory: scratch() })
    await engine.close()
    await writeFile(join(scratch(), 'other'), 'x')
    const database = new Database(join(scratch(), STORE_FILE))
    database.exec("insert into kysely_migration (name, timestamp) values ('9999_later', '2027')")
    database.close()
    await expect(open()).rejects.toThrow(StoreOpenError)
    await expect(open()).rejects.toThrow('The data was written by a newer version of this program')
  })

  test('behavior: only its owner can read the files', async () => {
    const store = await open()
    await store.putEndpoint(state)
    const folder = await stat(scratch())
    expect(folder.mode & 0o077).toBe(0)
    await store.close()
  })

  test('behavior: a unit that fails changes nothing, and the next one runs', async () => {
    const store = await open()
    const wrong = { ...anObservation({ id: 'o2' }), at: null as never }
    await expect(store.append([aListing(), anObservation(), wrong])).rejects.toThrow()
    expect(await store.observations(state.endpoint)).toEqual([])
    expect(await store.leases.nextDue()).toBeNull()
    await store.putEndpoint(state)
    await store.close()
  })
})

test('error: refuses a file that was cut off or emptied, and says what to do', async () => {
  const store = await open()
  await store.putEndpoint(state, { facts: [anObservation()], days: [] })
  await store.close()
  const path = join(scratch(), 'touchstone.db')
  // It would hold what is cut off of a store this small.
  await rm(`${path}-wal`)
  for (const left of [(await stat(path)).size / 2, 100, 0]) {
    await truncate(path, left)
    await expect(open()).rejects.toThrow(/touchstone\.db is damaged \(.*\): restore it from a back-up/)
  }
})

describe('backUp', () => {
  test('default: a file that opens as it was, made beside a service that writes on', async () => {
    const store = await open()
    await store.putEndpoint(state, { facts: [anObservation()], days: [] })
    let writes = 0
    const writing = (async () => {
      for (; writes < 50; writes++)
        await store.append([anObservation({ id: `w${writes}`, at: NOON + writes })])
    })()
    const target = join(scratch(), 'copy.db')
    expect(await backUp(scratch(), target)).toBeGreaterThan(0)
    await writing
    await store.close()
    expect((await stat(target)).mode & 0o077).toBe(0)
    expect((await readdir(scratch())).some((name) => name.endsWith('.part'))).toBe(false)
    await expect(backUp(scratch(), target)).rejects.toThrow('exists')
    await expect(backUp(join(scratch(), 'none'), target)).rejects.toThrow('there is no store in')
  })
})
