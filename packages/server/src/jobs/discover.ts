import { isTemplate } from '@touchstone402/shared'
import type { Listing } from '../domain/facts.ts'
import { HOUR } from '../domain/spec.ts'
import type { Clock } from '../ports/clock.ts'
import type { Directory, ListedRow } from '../ports/directory.ts'
import type { Store } from '../ports/store.ts'

/** A refresh that changes nothing is recorded this rarely. */
const REFRESH_MS = 6 * HOUR

export type DiscoverDeps = {
  readonly directories: readonly Directory[]
  readonly store: Store
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (directory: string, error: unknown) => void
}

/** What a round through the directories brought. */
export type Discovery = {
  readonly listed: number
  readonly rejected: number
  readonly endpoints: ReadonlySet<string>
}

/** Reads every directory to the end and records what is new or changed. A directory that fails keeps what it gave before. */
export async function discover(deps: DiscoverDeps, signal?: AbortSignal): Promise<Discovery> {
  let listed = 0
  let rejected = 0
  const endpoints = new Set<string>()
  for (const directory of deps.directories) {
    try {
      for await (const page of directory.pages(signal)) {
        rejected += page.rejected
        listed += page.rows.length
        for (const endpoint of await recordRows(deps, page.rows)) endpoints.add(endpoint)
      }
    } catch (error) {
      deps.onError?.(directory.name, error)
    }
  }
  return { listed, rejected, endpoints }
}

async function recordRows(
  { store, clock, newId }: DiscoverDeps,
  rows: readonly ListedRow[],
): Promise<string[]> {
  const fresh: Listing[] = []
  // A template without a sample cannot be asked for.
  const askable = rows.filter((row) => !isTemplate(row.endpoint) || row.url !== row.endpoint)
  for (const row of askable) {
    const facts = await store.hostFacts(row.host)
    const known = facts.listings.findLast(
      ({ endpoint, directory }) => endpoint === row.endpoint && directory === row.directory,
    )
    if (known === undefined || isNews(known, row)) {
      fresh.push({ kind: 'listing', id: newId('lst'), at: clock.now(), ...row })
    }
  }
  if (fresh.length > 0) await store.append(fresh)
  return askable.map(({ endpoint }) => endpoint)
}

function isNews(known: Listing, row: ListedRow): boolean {
  const { kind: _kind, id: _id, at: _at, claimedAt, ...before } = known
  const { claimedAt: refreshedAt, ...after } = row
  if (JSON.stringify(sortKeys(before)) !== JSON.stringify(sortKeys(after))) return true
  return refreshedAt !== null && (claimedAt === null || refreshedAt - claimedAt >= REFRESH_MS)
}

const sortKeys = (value: object) =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)))
