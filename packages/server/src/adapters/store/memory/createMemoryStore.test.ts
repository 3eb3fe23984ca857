import { describeStore } from '../testing/storeContract.ts'
import { createMemoryStore } from './createMemoryStore.ts'

const createHome = async () => ({
  open: async (now?: () => number) => createMemoryStore(now ? { now } : {}),
  remove: async () => {},
})

describeStore('memory', createHome, { persistent: false })
