import type { ExpiringDocument, ExpiringStore } from '../../../ports/expiring.ts'

/** Creates documents with an expiry in memory. */
export function createMemoryExpiring(): ExpiringStore {
  const documents = new Map<string, ExpiringDocument>()
  const keyOf = (kind: string, id: string) => JSON.stringify([kind, id])
  return {
    async put(document, now) {
      for (const [key, { expiresAt }] of documents) if (expiresAt <= now) documents.delete(key)
      documents.set(keyOf(document.kind, document.id), structuredClone(document))
    },
    async get(kind, id, now) {
      const document = documents.get(keyOf(kind, id))
      return document && document.expiresAt > now ? document : undefined
    },
    async *list(kind, prefix, now) {
      yield* [...documents.values()]
        .filter((one) => one.kind === kind && one.id.startsWith(prefix) && one.expiresAt > now)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    remove: async (kind, id) => documents.delete(keyOf(kind, id)),
    async *all() {
      yield* documents.values()
    },
  }
}
