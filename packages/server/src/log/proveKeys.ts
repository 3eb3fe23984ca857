import { signingKeyKey } from '../domain/facts/leaves.ts'
import type { LogStore } from '../ports/log.ts'
import type { KeySet } from '../ports/signer.ts'
import { proveEntry } from './createLogTree.ts'

/** Adds to each key of a JSON Web Key Set the proof, `logProof`, that the log holds its leaf, once it does. */
export async function proveKeys(log: LogStore, { keys }: KeySet): Promise<KeySet> {
  const proven = await Promise.all(
    keys.map(async (key) => {
      const index = await log.find(signingKeyKey(`${key.kid}`))
      const entry = typeof index === 'number' ? await proveEntry(log, index) : undefined
      return entry === undefined ? key : { ...key, logProof: entry.proof }
    }),
  )
  return { keys: proven }
}
