import { expect, test } from 'vitest'
import { FORMAT, readFormat } from './migrations.ts'
import { createStore } from './openStore.ts'
import { openPostgres, SCHEMA } from './postgres.ts'
import { makeNewer, replayFormat, shapeOf, shapeOfValue } from './testing/formats.ts'
import { readAll } from './testing/readAll.ts'
import { openEmptyDatabase } from './testing/usePostgres.ts'

const FORMATS = Array.from({ length: FORMAT }, (_, index) => index + 1)

/** Opens what the program of a format wrote, and reads it as the service does, and as rows. */
async function readDatabase(format: number) {
  const place = await openEmptyDatabase()
  await replayFormat(format, place.url, SCHEMA)
  const engine = await openPostgres(place)
  try {
    const kept = { rows: await shapeOf(engine.db, SCHEMA), format: await readFormat(engine.db) }
    return { ...kept, read: shapeOfValue(await readAll(createStore(engine))) }
  } finally {
    await engine.close()
  }
}

test.each(FORMATS)(
  'behavior: a database of format %i is migrated, and read as the newest',
  async (format) => {
    const newest = await readDatabase(FORMAT)
    expect(newest.read.length).toBeGreaterThan(400)
    expect(await readDatabase(format)).toEqual(newest)
  },
)

test('error: a database of a newer program is refused', async () => {
  const place = await openEmptyDatabase()
  await replayFormat(FORMAT, place.url, SCHEMA)
  const engine = await openPostgres(place)
  await makeNewer(engine.db, 7)
  await engine.close()
  await expect(openPostgres(place)).rejects.toThrow('made by a newer version of this program, in format 7')
})
