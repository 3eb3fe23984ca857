import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore } from './openStore.ts'
import { openSqlite } from './sqlite.ts'
import { describeStore } from './testing/describeStore.ts'

describeStore('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
  return {
    open: async (now) => createStore(await openSqlite({ directory }), now),
    remove: () => rm(directory, { recursive: true }),
  }
})
