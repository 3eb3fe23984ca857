import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DERIVATION } from '../publish/derivation.ts'
import { openSqlite } from './sqlite.ts'
import { createStore } from './store.ts'
import { describeStore } from './testing/describeStore.ts'

describeStore('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
  return {
    open: async () => createStore(await openSqlite({ directory }, DERIVATION)),
    remove: () => rm(directory, { recursive: true }),
  }
})
