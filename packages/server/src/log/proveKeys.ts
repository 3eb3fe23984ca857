import type { Time } from '../facts/facts.ts'
import { signingKeyKey } from '../facts/leaves.ts'
import type { KeySet } from '../keys/signer.ts'
import { readDocument } from '../store/documents.ts'
import { findLeaf } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { proveLeaf } from './proveLeaf.ts'

/** Adds to each key of a JSON Web Key Set the proof, `logProof`, that the log holds its leaf, once it does. */
export async function proveKeys(store: Store, { keys }: KeySet): Promise<KeySet> {
  const proven = await Promise.all(
    keys.map(async (key) => {
      const index = await findLeaf(store, signingKeyKey(`${key.kid}`))
      const entry = typeof index === 'number' ? await proveLeaf(store, index) : undefined
      return entry === undefined ? key : { ...key, logProof: entry.proof }
    }),
  )
  return { keys: proven }
}

const LOG_KEY = { kind: 'log-key', id: 'current' }

/** Writes the key that verifies checkpoints, for all processes to show. */
export function publishLogKey(store: Store, key: string, now: Time): Promise<void> {
  return store.write('putDocument', { ...LOG_KEY, expiresAt: Number.MAX_SAFE_INTEGER, data: key }, now)
}

/** Returns the key that verifies checkpoints; undefined before a process has opened the log. */
export async function readLogKey(store: Store, now: Time): Promise<string | undefined> {
  const found = await readDocument(store, LOG_KEY.kind, LOG_KEY.id, now)
  return typeof found?.data === 'string' ? found.data : undefined
}
