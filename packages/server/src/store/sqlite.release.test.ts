import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open as openFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DERIVATION } from '../publish/derivation.ts'
import { openStore, type StorePlace } from '../services/openStore.ts'
import { backUp } from './backUp.ts'
import { readObservations } from './observations.ts'
import { openSqlite } from './sqlite.ts'
import { LOCK_FILE, STORE_FILE } from './sqliteFile.ts'
import { aState } from './testing/documents.ts'
import { anObservation, NOON } from './testing/records.ts'
import { useScratchFolder } from './testing/scratch.ts'

const scratch = useScratchFolder()
const open = (more: Partial<StorePlace> = {}) => openStore({ databaseUrl: null, dataDir: scratch(), ...more })
const state = aState()

/** Flags of Node for a script that has `database`, a connection to a file. */
const flagsOf = (script: string, path: string) => [
  '--input-type=module',
  '--eval',
  `import { DatabaseSync } from '@photostructure/sqlite'
   const database = new DatabaseSync(process.argv[1])
   ${script}`,
  path,
]

/** Runs a script in another process. */
function inAnother(script: string, path = join(scratch(), STORE_FILE)): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, flagsOf(script, path), { cwd: import.meta.dirname, encoding: 'utf8' })
}

/** Copies the store into a new folder, whose file this process has not opened. Returns the folder. */
async function copyOf(name: string): Promise<string> {
  const folder = join(scratch(), name)
  await mkdir(folder)
  await backUp(scratch(), join(folder, STORE_FILE))
  return folder
}

async function fill(looks = 200): Promise<void> {
  const store = await open()
  await store.write('putEndpoint', state)
  for (let from = 0; from < looks; from += 100)
    await store.write(
      'append',
      Array.from({ length: 100 }, (_, at) => anObservation({ id: `o${from + at}`, at: NOON + from + at })),
    )
  await store.close()
}

test('behavior: a lock that a killed service held is gone with it', async () => {
  const { signal } = inAnother(
    "database.exec('begin exclusive'); process.kill(process.pid, 'SIGKILL')",
    join(scratch(), LOCK_FILE),
  )
  expect(signal).toBe('SIGKILL')
  await (await open()).close()
})

test('behavior: a store that a killed process left is opened by several at once', async () => {
  await fill()
  const killed = inAnother(
    `database.exec('begin immediate')
     for (let n = 0; n < 20; n++) database.exec("update endpoint set state_json = state_json || ' '")
     database.exec('commit')
     process.kill(process.pid, 'SIGKILL')`,
  )
  expect(killed.signal).toBe('SIGKILL')
  const script = "database.exec('pragma busy_timeout = 15000; select count(*) from look'); database.close()"
  const others = Array.from({ length: 4 }, () =>
    spawn(process.execPath, flagsOf(script, join(scratch(), STORE_FILE)), {
      cwd: import.meta.dirname,
      stdio: 'inherit',
    }),
  )
  const ended = others.map((other) => once(other, 'exit'))
  const store = await open()
  expect(await readObservations(store, state.endpoint)).toHaveLength(200)
  expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0, 0, 0])
  await store.close()
})

test('behavior: a file that another process writes to is waited for', async () => {
  await fill()
  const other = spawn(
    process.execPath,
    flagsOf(
      "database.exec('begin immediate'); process.stdout.write('has it'); setTimeout(() => database.exec('commit'), 1000)",
      join(scratch(), STORE_FILE),
    ),
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(other.stdout, 'data')
  await (await open()).close()
})

test('error: a file that was cut off is refused, with what is wrong with it', async () => {
  await fill()
  const whole = await stat(join(await copyOf('whole'), STORE_FILE))
  for (const [name, left] of Object.entries({ half: whole.size / 2, page: 4096, header: 100 })) {
    const dataDir = await copyOf(name)
    await truncate(join(dataDir, STORE_FILE), Math.floor(left))
    await expect(open({ dataDir })).rejects.toThrow(
      /touchstone\.db is damaged \(.+\): restore it from a back-up/,
    )
    await expect(open({ dataDir, isBeside: true })).rejects.toThrow(/touchstone\.db is damaged \(.+\)/)
  }
})

test('error: a file whose end was cut off is refused, though its log holds other pages', async () => {
  await fill()
  const dataDir = await copyOf('killed')
  const path = join(dataDir, STORE_FILE)
  const script = `
    database.exec('pragma journal_mode = wal; update endpoint set due_at = 1')
    process.kill(process.pid, 'SIGKILL')`
  expect(inAnother(script, path).signal).toBe('SIGKILL')
  const logged = Math.ceil((await stat(`${path}-wal`)).size / 4096)
  expect(logged).toBeGreaterThan(1)
  await truncate(path, (await stat(path)).size - (logged + 1) * 4096)
  await expect(open({ dataDir })).rejects.toThrow(
    /touchstone\.db is damaged \(.+\): restore it from a back-up/,
  )
})

test('error: a page of other bytes is refused with what the integrity check found', async () => {
  await fill()
  const dataDir = await copyOf('changed')
  const file = await openFile(join(dataDir, STORE_FILE), 'r+')
  // The list of tables, behind the header.
  await file.write(Buffer.alloc(3000, 0xab), 0, 3000, 100)
  await file.close()
  await expect(open({ dataDir })).rejects.toThrow(
    /touchstone\.db is damaged \(.+\): restore it from a back-up/,
  )
})

test('error: a command beside a service never calls its file damaged', async () => {
  await fill()
  const dataDir = await copyOf('beside')
  await truncate(join(dataDir, STORE_FILE), 4096)
  const service = spawn(
    process.execPath,
    flagsOf(
      "database.exec('begin exclusive'); process.stdout.write('has it'); setInterval(() => database.isOpen, 1000)",
      join(dataDir, LOCK_FILE),
    ),
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(service.stdout, 'data')
  const failure = open({ dataDir, isBeside: true })
  await expect(failure).rejects.toThrow(
    /touchstone\.db cannot be read beside the service that has it \(.+\): try again/,
  )
  service.kill('SIGKILL')
  await once(service, 'exit')
})

test('error: a sound file that this process cannot read is not called damaged', async () => {
  await fill()
  const beside = await openSqlite({ directory: scratch(), isShared: true }, DERIVATION)
  await beside.write('putEndpoint', state)
  // As others do that do not see its locks: this process goes on with the index of a log that is gone.
  for (const end of ['-wal', '-shm']) await rm(join(scratch(), STORE_FILE + end))
  const { signal } = inAnother(`
    database.exec('create table more (a); begin')
    for (let n = 0; n < 300; n++) database.exec('insert into more values (zeroblob(4000))')
    database.exec('commit; pragma wal_checkpoint')
    process.kill(process.pid, 'SIGKILL')`)
  expect(signal).toBe('SIGKILL')
  await expect(open()).rejects.toThrow(
    /touchstone\.db is sound, but this process cannot read it \(.+\): start it again/,
  )
  await beside.close()
})
