import type { Time } from '../facts/facts.ts'
import type { ExpiringStore } from '../ports/expiring.ts'

/** Reads the data of all documents of a kind whose ids begin with a prefix, by id. */
export async function listDocuments<T>(
  documents: Pick<ExpiringStore, 'list'>,
  kind: string,
  prefix: string,
  now: Time,
): Promise<T[]> {
  const found: T[] = []
  for await (const { data } of documents.list(kind, prefix, now)) found.push(data as T)
  return found
}
