import type { Time } from '../facts/facts.ts'
import { signingKeyKey } from '../facts/leaves.ts'
import type { ExpiringStore } from '../ports/expiring.ts'
import type { LogStore } from '../ports/log.ts'
import type { KeySet } from '../ports/signer.ts'
import { proveLeaf } from './proveLeaf.ts'

/** Adds to each key of a JSON Web Key Set the proof, `logProof`, that the log holds its leaf, once it does. */
export async function proveKeys(log: LogStore, { keys }: KeySet): Promise<KeySet> {
  const proven = await Promise.all(
    keys.map(async (key) => {
      const index = await log.find(signingKeyKey(`${key.kid}`))
      const entry = typeof index === 'number' ? await proveLeaf(log, index) : undefined
      return entry === undefined ? key : { ...key, logProof: entry.proof }
    }),
  )
  return { keys: proven }
}

const LOG_KEY = { kind: 'log-key', id: 'current' }

/** Writes the key that verifies checkpoints, for all processes to show. */
export function publishLogKey(documents: Pick<ExpiringStore, 'put'>, key: string, now: Time): Promise<void> {
  return documents.put({ ...LOG_KEY, expiresAt: Number.MAX_SAFE_INTEGER, data: key }, now)
}

/** Returns the key that verifies checkpoints; undefined before a process has opened the log. */
export async function readLogKey(
  documents: Pick<ExpiringStore, 'get'>,
  now: Time,
): Promise<string | undefined> {
  const found = await documents.get(LOG_KEY.kind, LOG_KEY.id, now)
  return typeof found?.data === 'string' ? found.data : undefined
}
