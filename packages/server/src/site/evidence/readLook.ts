import type { PublishedLook } from '@touchstone402/shared'
import type { Observation, Time } from '../../domain/facts/facts.ts'
import { dayKey } from '../../domain/facts/leaves.ts'
import { DAY, toDate } from '../../domain/facts/times.ts'
import { toPublishedLook } from '../../domain/publish/publishedLook.ts'
import { wellFormedJson } from '../../domain/publish/wellFormed.ts'
import type { PageDeps } from '../pageDeps.ts'

type Store = Pick<PageDeps['store'], 'cited' | 'endpoint' | 'incidents' | 'log'>

/** Age from which a look is published. */
const PUBLISHED_AFTER_MS = DAY
/** Number of incidents that are searched for a look. */
const MAX_INCIDENTS = 1000

/**
 * Whether a look may be shown.
 * @param isCited whether a finding cites it, whose first probes are public at once. @default false
 */
export function isPublished(look: Pick<Observation, 'at'>, now: Time, isCited = false): boolean {
  return isCited || publishedFrom(look) <= now
}

/** Returns the time from which a look is published. */
export function publishedFrom({ at }: Pick<Observation, 'at'>): Time {
  return at + PUBLISHED_AFTER_MS
}

/**
 * Finds a look by its id, and whether an incident or a reason of the endpoint's verdict cites it. Looks are stored by
 * endpoint, so without one only looks that incidents cite are found.
 * @param endpoint canonical URL
 */
export async function findLook(
  store: Store,
  id: string,
  endpoint: string | undefined,
): Promise<{ readonly look: Observation; readonly isCited: boolean } | undefined> {
  const query = { since: 0, limit: MAX_INCIDENTS, ...(endpoint !== undefined && { endpoint }) }
  const { records } = await store.incidents(query)
  const citing = records.find(({ observations }) => observations.includes(id))
  const at = endpoint ?? citing?.endpoint
  const [look] = at === undefined ? [] : await store.cited(at, [id])
  if (look === undefined || citing !== undefined) return look && { look, isCited: true }
  const { state } = (await store.endpoint(look.endpoint)) ?? {}
  return { look, isCited: state?.reasons.some(({ evidence }) => evidence.includes(id)) === true }
}

/** Describes a look as it is published: as in the line of the host's day, with where that day is found. */
export async function publishLook(
  { log }: Pick<Store, 'log'>,
  look: Observation,
  publicUrl: string,
): Promise<PublishedLook> {
  const { host } = look
  const date = toDate(look.at)
  const url = `${publicUrl}/log/days/${date}/${encodeURIComponent(host)}`
  const leaf = (await log.find(dayKey(host, date))) ?? null
  return { ...wellFormedJson(toPublishedLook(look)), day: { date, url, leaf } }
}
