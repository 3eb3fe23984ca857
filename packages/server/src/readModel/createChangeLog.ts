import type { Changed } from '../store/tx.ts'

/** Which endpoints and hosts changed lately. */
export type ChangeLog = {
  /** Records a change; null if changes may have been missed. */
  note(changed: Changed | null): void
  /** Number of changes seen; equal numbers mean equal content. */
  revision(): number
  /** Number of those with which a change or an incident was written; equal numbers mean equal feeds. */
  newsRevision(): number
  /** Whether an endpoint, or any endpoint of a host, is known not to have changed since a revision. */
  isUnchanged(name: string, since: number): boolean
}

/** Endpoints and hosts whose latest change is kept; about 8 MB. */
const KEPT = 50_000

/**
 * Creates a log without changes.
 * @param kept number of names whose latest change is kept. Whatever was read before a forgotten change counts as
 * changed. @default 50,000
 */
export function createChangeLog(kept = KEPT): ChangeLog {
  const latest = new Map<string, number>()
  let revision = 0
  let newsRevision = 0
  let forgotten = 0
  const note = (name: string) => {
    latest.delete(name)
    latest.set(name, revision)
    const [oldest] = latest
    if (latest.size <= kept || oldest === undefined) return
    latest.delete(oldest[0])
    forgotten = oldest[1]
  }
  return {
    note(changed) {
      revision++
      if (changed === null || changed.hasNews) newsRevision++
      if (changed === null) {
        latest.clear()
        forgotten = revision
        return
      }
      note(changed.endpoint)
      note(changed.host)
    },
    revision: () => revision,
    newsRevision: () => newsRevision,
    isUnchanged: (name, since) => since >= forgotten && (latest.get(name) ?? 0) <= since,
  }
}
