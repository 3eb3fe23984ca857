import { describeStore } from '../testing/describeStore.ts'
import { createMemoryStore } from './createMemoryStore.ts'

describeStore(
  'plain',
  async () => ({ open: async (options) => createMemoryStore(options), remove: async () => undefined }),
  { persistent: false, forgets: false },
)
