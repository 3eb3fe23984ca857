import type { Time } from '../facts/facts.ts'

/** A small document that nothing is derived from, dropped some time after its expiry. */
export type ExpiringDocument = {
  /** Kind of document, such as `scan`. */
  readonly kind: string
  readonly id: string
  /** Unix time in ms from which on it is not read. */
  readonly expiresAt: Time
  /** Anything that JSON can hold. */
  readonly data: unknown
}

/** Keeps documents until they expire. */
export type ExpiringStore = {
  /** Writes a document, or replaces the one of its kind and id. Drops some that have expired. Resolves once it is durable. */
  put(document: ExpiringDocument, now: Time): Promise<void>
  /** Returns a document that has not expired. */
  get(kind: string, id: string, now: Time): Promise<ExpiringDocument | undefined>
  /** Documents of a kind whose ids begin with a prefix and that have not expired, by id. */
  list(kind: string, prefix: string, now: Time): AsyncIterable<ExpiringDocument>
  /** Deletes a document. Returns whether there was one. Resolves once it is durable. */
  remove(kind: string, id: string): Promise<boolean>
}
