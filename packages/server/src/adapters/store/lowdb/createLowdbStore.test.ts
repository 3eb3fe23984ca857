import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeStore } from '../testing/storeContract.ts'
import { createLowdbStore } from './createLowdbStore.ts'

describeStore('lowdb', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
  return {
    open: (now) => createLowdbStore({ directory, ...(now ? { now } : {}) }),
    remove: () => rm(directory, { recursive: true }),
  }
})
