import type { Time } from '../facts/facts.ts'
import { readDocuments } from '../store/documents.ts'
import type { Store } from '../store/store.ts'

/** Reads the data of all documents of a kind whose ids begin with a prefix, by id. */
export async function listDocuments<T>(store: Store, kind: string, prefix: string, now: Time): Promise<T[]> {
  const found: T[] = []
  for await (const { data } of readDocuments(store, kind, prefix, now)) found.push(data as T)
  return found
}
