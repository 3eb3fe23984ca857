import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { DERIVATION } from '../publish/derivation.ts'
import { FORMAT, readFormat } from './migrations.ts'
import { inspectPostgres, openPostgres, SCHEMA } from './postgres.ts'
import type { Db } from './schema.ts'
import { createStore } from './store.ts'
import { makeNewer, replayFormat, shapeOf, shapeOfValue, withoutLater } from './testing/formats/formats.ts'
import { readAll } from './testing/formats/readAll.ts'
import { openEmptyDatabase } from './testing/usePostgres.ts'

const FORMATS = Array.from({ length: FORMAT }, (_, index) => index + 1)

/** The tables as the database describes them. */
const describeTables = async (db: Db) => ({
  columns: (
    await sql`select table_name, column_name, data_type, is_nullable, collation_name, is_identity
      from information_schema.columns where table_schema = ${SCHEMA} order by table_name, column_name`.execute(
      db,
    )
  ).rows,
  indexes: (
    await sql`select indexname, indexdef from pg_indexes where schemaname = ${SCHEMA} order by indexname`.execute(
      db,
    )
  ).rows,
})

/** Opens what the program of a format wrote, and reads it as the service does, and as rows. */
async function readDatabase(format: number) {
  const place = await openEmptyDatabase()
  await replayFormat(format, place.url, SCHEMA)
  const engine = await openPostgres(place, DERIVATION)
  try {
    return {
      tables: await describeTables(engine.db),
      rows: await shapeOf(engine.db, SCHEMA),
      format: await readFormat(engine.db),
      read: shapeOfValue(await readAll(createStore(engine))),
    }
  } finally {
    await engine.close()
  }
}

test.each(FORMATS.slice(0, -1))(
  'behavior: a database of format %i is migrated, and read as the newest',
  async (format) => {
    const newest = await readDatabase(FORMAT)
    expect(newest.read.length).toBeGreaterThan(400)
    expect(newest.format).toBe(FORMAT)
    expect(await readDatabase(format)).toEqual({
      ...newest,
      read: withoutLater(format, newest.read),
      rows: withoutLater(format, newest.rows),
    })
  },
)

test('default: a new database has the tables of its format', async () => {
  const engine = await openPostgres(await openEmptyDatabase(), DERIVATION)
  const made = await describeTables(engine.db)
  await engine.close()
  expect(made.columns.length).toBeGreaterThan(100)
  expect(made).toEqual((await readDatabase(FORMAT)).tables)
})

test('error: a database of a newer program is refused', async () => {
  const place = await openEmptyDatabase()
  await replayFormat(FORMAT, place.url, SCHEMA)
  const engine = await openPostgres(place, DERIVATION)
  await makeNewer(engine.db, 99)
  await engine.close()
  const sentence = 'The database was made by a newer version of this program, in format 99'
  await expect(openPostgres(place, DERIVATION)).rejects.toThrow(sentence)
  expect((await inspectPostgres(place.url)).format).toBe(99)
  expect((await inspectPostgres((await openEmptyDatabase()).url)).format).toBeNull()
})
