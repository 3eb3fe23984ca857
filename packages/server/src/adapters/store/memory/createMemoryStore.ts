import type { HostDocument } from '../../../domain/facts/hostDocument.ts'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import type { Store } from '../../../ports/oldStore.ts'
import { createClaimBook } from '../createClaimBook.ts'
import { createFactIndex } from '../createFactIndex.ts'

/** Options of `createMemoryStore`. */
export type MemoryStoreOptions = {
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
}

/** Creates a store without persistence, for tests. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const facts = createFactIndex()
  const documents = new Map<string, HostDocument>()
  let closed = false

  const checkOpen = (): void => {
    if (closed) throw new StoreUnavailableError('The store is closed')
  }
  const claims = createClaimBook({
    async persist(claim) {
      checkOpen()
      claims.restore(claim)
    },
    now: options.now ?? Date.now,
  })

  return {
    ...facts.reads,
    async append(added) {
      checkOpen()
      for (const fact of added) facts.add(fact)
    },
    async putHost(document) {
      checkOpen()
      documents.set(document.host, document)
    },
    getHost: async (host) => documents.get(host),
    async *hosts() {
      yield* documents.values()
    },
    claims,
    async close() {
      closed = true
    },
  }
}
