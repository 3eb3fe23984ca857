import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeStore } from '../testing/describeStore.ts'
import { createEmbeddedStore } from './createEmbeddedStore.ts'

describeStore('embedded', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
  return {
    open: (options) => createEmbeddedStore({ directory, ...options }),
    remove: () => rm(directory, { recursive: true }),
  }
})
