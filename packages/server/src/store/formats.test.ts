import { expect, test } from 'vitest'
import { openDatabase } from '../lib/database.ts'
import { openStore } from '../services/openStore.ts'
import { createMigrations, FORMAT, migrate, readFormat } from './migrations.ts'
import { SQLITE, toKysely } from './sqliteFile.ts'
import { fillStore } from './testing/formats/fillStore.ts'
import {
  formatFile,
  layFormat,
  makeNewer,
  shapeOf,
  shapeOfValue,
  withoutLater,
} from './testing/formats/formats.ts'
import { readAll } from './testing/formats/readAll.ts'
import { useScratchFolder } from './testing/scratch.ts'

const scratch = useScratchFolder()
const FORMATS = Array.from({ length: FORMAT }, (_, index) => index + 1)

/** Reads the store of the scratch folder as the service does, and as rows. */
async function readFolder() {
  const store = await openStore({ databaseUrl: null, dataDir: scratch() })
  const read = shapeOfValue(await readAll(store))
  await store.close()
  const database = openDatabase(formatFile(scratch()))
  const db = toKysely(database)
  const kept = { read, rows: await shapeOf(db), format: await readFormat(db) }
  database.close()
  return kept
}

test('default: every format has its migration', () => {
  const numbers = Object.keys(createMigrations(SQLITE)).map((name) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(FORMATS)
})

// A difference is a new shape: add a migration, and run testing/formats/recordFormat.ts for its fixture.
test('default: this program stores what its format holds, and nothing else', async () => {
  const store = await openStore({ databaseUrl: null, dataDir: scratch() })
  await fillStore(store)
  await store.close()
  const written = await readFolder()
  expect(written.rows.length).toBeGreaterThan(400)
  expect(written.format).toBe(FORMAT)
  await layFormat(FORMAT, scratch())
  expect(written).toEqual(await readFolder())
})

test.each(FORMATS.slice(0, -1))(
  'behavior: a store of format %i is migrated, and read as the newest',
  async (format) => {
    await layFormat(FORMAT, scratch())
    const newest = await readFolder()
    await layFormat(format, scratch())
    expect(await readFolder()).toEqual({
      ...newest,
      read: withoutLater(format, newest.read),
      rows: withoutLater(format, newest.rows),
    })
  },
)

test('error: a store of a newer program is refused', async () => {
  const database = openDatabase(formatFile(scratch()))
  const db = toKysely(database)
  await migrate(db, SQLITE)
  await makeNewer(db, 99)
  database.close()
  await expect(openStore({ databaseUrl: null, dataDir: scratch() })).rejects.toThrow(
    `${formatFile(scratch())} was made by a newer version of this program, in format 99; this version reads formats up to ${FORMAT}: start the newer version again, or restore a back-up from before the upgrade`,
  )
  // Its number alone is enough.
  const stated = openDatabase(formatFile(scratch()))
  stated.exec(`delete from kysely_migration where name = '99_later'`)
  stated.close()
  await expect(openStore({ databaseUrl: null, dataDir: scratch(), isBeside: true })).rejects.toThrow(
    'made by a newer version of this program, in format 99',
  )
  // A migration of another program, whatever number it states.
  const opened = openDatabase(formatFile(scratch()))
  await makeNewer(toKysely(opened), FORMAT)
  opened.close()
  await expect(openStore({ databaseUrl: null, dataDir: scratch() })).rejects.toThrow(
    `${formatFile(scratch())} has changes of another version of this program, in format ${FORMAT}, which this version does not know: use that version, or a back-up from before it`,
  )
})
