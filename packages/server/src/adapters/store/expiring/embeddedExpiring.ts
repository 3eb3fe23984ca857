import type { ExpiringDocument, ExpiringStore } from '../../../ports/expiring.ts'
import type { Writer } from '../embedded/createWriter.ts'
import { between, keyOf, openText, text, time, within } from '../embedded/keys.ts'
import { collect, fromBytes, read, type Source, toBytes } from '../embedded/source.ts'

/** Expired documents that one write drops at most. */
const MAX_DROPPED = 100

const DOCUMENTS = keyOf('o')
const EXPIRIES = keyOf('O')
const documentKey = (kind: string, id: string) => keyOf('o', text(kind), text(id))
const expiryKey = ({ kind, id, expiresAt }: ExpiringDocument) =>
  keyOf('O', time(expiresAt), text(kind), text(id))

/** Creates the documents with an expiry of the embedded store. */
export function createEmbeddedExpiring(source: Source, writer: Writer): ExpiringStore {
  return {
    put: (document, now) =>
      writer.run(async (tx) => {
        const expired = await collect(
          tx,
          between(EXPIRIES, 0, now),
          (key, expiry) => ({ key: key.toString('latin1'), expiry }),
          { limit: MAX_DROPPED },
        )
        for (const { key, expiry } of expired) {
          tx.delete(expiry)
          tx.delete(key)
        }
        const key = documentKey(document.kind, document.id)
        const before = await read<ExpiringDocument>(tx, key)
        if (before) tx.delete(expiryKey(before))
        tx.put(key, toBytes(document))
        tx.put(expiryKey(document), Buffer.from(key, 'latin1'))
      }),
    async get(kind, id, now) {
      const document = await read<ExpiringDocument>(source, documentKey(kind, id))
      return document && document.expiresAt > now ? document : undefined
    },
    async *list(kind, prefix, now) {
      for await (const [, value] of source.list(within(keyOf('o', text(kind), openText(prefix))))) {
        const document = fromBytes<ExpiringDocument>(value)
        if (document.expiresAt > now) yield document
      }
    },
    remove: (kind, id) =>
      writer.run(async (tx) => {
        const key = documentKey(kind, id)
        const before = await read<ExpiringDocument>(tx, key)
        if (!before) return false
        tx.delete(expiryKey(before))
        tx.delete(key)
        return true
      }),
    async *all() {
      for await (const [, value] of source.list(within(DOCUMENTS))) yield fromBytes<ExpiringDocument>(value)
    },
  }
}
