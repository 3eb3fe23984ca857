import type { Observation } from '../facts/facts.ts'
import type { Declared } from './askDeclared.ts'

/**
 * Marks the successes of an audit as not measured if documents of the host are unread, by a fault of ours or because they
 * cost too much: what the host itself declares is part of an audit, and an unfinished one must not make an endpoint Safe.
 * @param readDocuments reads what the host declares; null for an endpoint with a finished audit, whose verdict lasts
 */
export async function settleUnread(
  found: readonly Observation[],
  readDocuments: (() => Promise<Declared>) | null,
): Promise<readonly Observation[]> {
  if (readDocuments === null || !found.some(isSuccess)) return found
  if (typeof (await readDocuments()) !== 'string') return found
  return found.map((probe) =>
    isSuccess(probe) ? { ...probe, outcome: 'not_measured', cause: 'documents_unread' } : probe,
  )
}

const isSuccess = ({ purpose, outcome }: Observation) => purpose !== 'control' && outcome === 'up'
