import { expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { connectPostgres } from '../store/postgres.ts'
import { makeNewer } from '../store/testing/formats/formats.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { openEmptyDatabase } from '../store/testing/usePostgres.ts'
import { runCommand } from './runMain.ts'

const scratch = useScratchFolder()

test('error: every command refuses a database of a newer program, in words', async () => {
  const place = await openEmptyDatabase()
  const { db, pool } = await connectPostgres(place)
  await makeNewer(db, 99)
  await pool.end()
  const settings = { DATABASE_URL: place.url, DATA_DIR: scratch() }
  for (const words of [
    'restore --check --new-keys',
    'recompute a.example',
    'disputes list',
    'log begin a.example/log',
    'migrate',
    'copy',
  ])
    await expect(runCommand(words.split(' '), settings, STANDARD_STREAMS)).rejects.toThrow(
      'The database was made by a newer version of this program, in format 99; this version reads formats up to',
    )
})
