import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../lib/database.ts'
import { DERIVATION } from '../publish/derivation.ts'
import { openStore, type StorePlace } from '../services/openStore.ts'
import { backUp } from './backUp.ts'
import { readState } from './endpoints.ts'
import { readNextDue } from './leases.ts'
import { readObservations } from './observations.ts'
import { openSqlite, runUnits } from './sqlite.ts'
import { STORE_FILE } from './sqliteFile.ts'
import { aState } from './testing/documents.ts'
import { aListing, anObservation, aWantedClaim, NOON } from './testing/records.ts'
import { useScratchFolder } from './testing/scratch.ts'

const scratch = useScratchFolder()
const open = (more: Partial<StorePlace> = {}) => openStore({ databaseUrl: null, dataDir: scratch(), ...more })
const state = aState()

describe('openSqlite', () => {
  test('error: a second service is refused in one line; a command works beside the first', async () => {
    const store = await open()
    await store.write('putEndpoint', state)
    await expect(open()).rejects.toThrow(/^Another service uses this data folder/)
    const beside = await open({ isBeside: true })
    expect(await readState(beside, state.endpoint)).toEqual({ state })
    await beside.write('forgetOpening', 0)
    await store.write('putEndpoint', state)
    await beside.write('removeDocument', 'a', 'b')
    await beside.close()
    await store.close()
    await (await open()).close()
  })

  test('behavior: a claim waits until the disk has it, so that a power cut loses none', async () => {
    await (await open()).close()
    const said: string[] = []
    const database = openDatabase(join(scratch(), STORE_FILE))
    const recorded = new Proxy(database, {
      get(_, name: keyof Database) {
        const value = database[name]
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'exec') said.push(String(args[0]))
          return Reflect.apply(value, database, args)
        }
      },
    })
    const writer = runUnits(recorded, 'begin immediate', DERIVATION)
    await writer.run('dropExpiredPayments', [NOON])
    await writer.run('claimPayment', [aWantedClaim()])
    await writer.close()
    expect(said).toEqual([
      'pragma synchronous = normal',
      'begin immediate',
      'commit',
      'pragma synchronous = full',
      'begin immediate',
      'commit',
    ])
  })

  test('error: tables are made all or none, so that a kill meanwhile leaves a store that opens', async () => {
    const path = join(scratch(), STORE_FILE)
    const database = openDatabase(path, { setUp: 'create table shape (a)' })
    await expect(open()).rejects.toThrow('touchstone.db cannot be opened: table "shape" already exists')
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
    expect(tables).toEqual([{ name: 'shape' }])
    database.exec('drop table shape')
    database.close()
    await (await open()).close()
  })

  test('behavior: only its owner can read the files', async () => {
    const store = await open()
    await store.write('putEndpoint', state)
    const folder = await stat(scratch())
    expect(folder.mode & 0o077).toBe(0)
    await store.close()
  })

  test('behavior: a unit that fails changes nothing, and the next one runs', async () => {
    const store = await open()
    const wrong = { ...anObservation({ id: 'o2' }), at: null as never }
    await expect(store.write('append', [aListing(), anObservation(), wrong])).rejects.toThrow()
    expect(await readObservations(store, state.endpoint)).toEqual([])
    expect(await readNextDue(store)).toBeNull()
    await store.write('putEndpoint', state)
    await store.close()
  })
})

test('error: an emptied file is refused, and a new one is never empty', async () => {
  await writeFile(join(scratch(), STORE_FILE), '')
  await expect(open()).rejects.toThrow('touchstone.db is damaged (it is empty): restore it from a back-up')
  await rm(join(scratch(), STORE_FILE))
  const [store, beside] = await Promise.all([open(), open({ isBeside: true })])
  expect((await stat(join(scratch(), STORE_FILE))).size).toBeGreaterThan(0)
  await store.write('putEndpoint', state)
  expect(await readState(beside, state.endpoint)).toEqual({ state })
  expect((await readdir(scratch())).filter((name) => name.endsWith('.tmp'))).toEqual([])
  await beside.close()
  await store.close()
})

// Linux lists them. https://sqlite.org/howtocorrupt.html, 2.2.1
test.runIf(existsSync('/proc/locks'))(
  'behavior: a process that opens a store again keeps its locks',
  async () => {
    const beside = await openSqlite({ directory: scratch(), isShared: true }, DERIVATION)
    const { ino } = await stat(join(scratch(), STORE_FILE))
    const countLocks = async () =>
      (await readFile('/proc/locks', 'utf8')).split('\n').filter((line) => line.includes(`:${ino} `)).length
    const before = await countLocks()
    expect(before).toBeGreaterThan(0)
    const engine = await openSqlite({ directory: scratch() }, DERIVATION)
    expect(await engine.diskBytes()).toBeGreaterThan(0)
    expect(await countLocks()).toBe(before)
    await engine.close()
    expect(await countLocks()).toBe(before)
    await beside.close()
  },
)

describe('backUp', () => {
  test('default: a file that opens as it was, made beside a service that writes on', async () => {
    const store = await open()
    await store.write('putEndpoint', state, { facts: [anObservation()], days: [] })
    let writes = 0
    const writing = (async () => {
      for (; writes < 50; writes++)
        await store.write('append', [anObservation({ id: `w${writes}`, at: NOON + writes })])
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
