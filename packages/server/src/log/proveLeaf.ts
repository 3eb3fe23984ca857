import { joinLeaf } from '@touchstone402/shared/leaves'
import { proveEntry } from '@touchstone402/transparency/publisher'
import type { NewLeaf } from '../facts/leaves.ts'
import { findLeaf, readLeaves } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { logStorage } from './logStorage.ts'

/** A leaf with its proof, for people and programs. */
export type ProvenLeaf = {
  readonly index: number
  /** Canonical JSON. */
  readonly leaf: string
  /** Canonical JSON; null if the leaf contains no names or the opening was deleted. */
  readonly opening: string | null
  /** C2SP tlog-proof, complete for offline use. */
  readonly proof: string
}

/** Returns a leaf with its proof under the published checkpoint; undefined if that does not cover it. */
export async function proveLeaf(store: Store, index: number): Promise<ProvenLeaf | undefined> {
  const [entry] = await readLeaves(store, index, index + 1)
  if (entry === undefined) return undefined
  const proof = await proveEntry(logStorage(store), index, joinLeaf(entry))
  return proof === undefined ? undefined : { index, ...entry, proof }
}

/**
 * Logs a leaf and publishes it at once.
 * @returns its C2SP tlog-proof; undefined while too few witnesses sign
 */
export async function logAndProve(
  store: Store,
  publish: () => Promise<unknown>,
  leaf: NewLeaf,
): Promise<string | undefined> {
  await store.write('addLeaves', [leaf])
  await publish()
  const index = await findLeaf(store, leaf.key)
  return typeof index === 'number' ? (await proveLeaf(store, index))?.proof : undefined
}
