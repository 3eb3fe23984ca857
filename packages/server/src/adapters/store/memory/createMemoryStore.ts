import type { HostDocument } from '../../../domain/facts/hostDocument.ts'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import type { Store } from '../../../ports/store.ts'
import { createClaimBook } from '../createClaimBook.ts'
import { createFactIndex } from '../createFactIndex.ts'

/** Settings of the memory store. */
export type MemoryStoreOptions = {
  /** Real time, milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** A store that forgets everything when the process ends: for tests. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const facts = createFactIndex()
  const documents = new Map<string, HostDocument>()
  let closed = false

  const checkOpen = (): void => {
    if (closed) throw new StoreUnavailableError('The store is closed.')
  }
  const claims = createClaimBook({
    async persist(claim) {
      checkOpen()
      claims.restore(claim)
    },
    now: options.now ?? Date.now,
  })

  return {
    async append(added) {
      checkOpen()
      for (const fact of added) facts.add(fact)
    },
    hostFacts: async (host) => facts.hostFacts(host),
    receivers: async () => facts.receivers(),
    receiver: async (network, address) => facts.receiver(network, address),
    async putHost(document) {
      checkOpen()
      documents.set(document.host, document)
    },
    getHost: async (host) => documents.get(host),
    async *hosts() {
      yield* documents.values()
    },
    changes: async (query) => facts.changes(query),
    incidents: async (query) => facts.incidents(query),
    reports: async () => facts.reports(),
    claims,
    async close() {
      closed = true
    },
  }
}
