import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore } from './openStore.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { describeStore } from './testing/describeStore.ts'
import { usePostgres } from './testing/usePostgres.ts'

describeStore('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
  return {
    open: async (now) => createStore(await openSqlite({ directory }), now),
    remove: () => rm(directory, { recursive: true }),
  }
})

const emptySchema = usePostgres()
describeStore('PostgreSQL', async () => {
  const place = emptySchema()
  return { open: async (now) => createStore(await openPostgres(place), now), remove: async () => {} }
})
