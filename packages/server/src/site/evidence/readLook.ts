import type { PublishedLook } from '@touchstone402/shared'
import type { Observation, Time } from '../../domain/facts/facts.ts'
import { dayKey } from '../../domain/facts/leaves.ts'
import { DAY, HOUR, toDate } from '../../domain/facts/times.ts'
import { createLookWriter } from '../../domain/publish/publishedLook.ts'
import { listDay } from '../../log/listDay.ts'
import { hourOf } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'

type Store = Pick<PageDeps['store'], 'cited' | 'incidents' | 'log' | 'looks' | 'summary'>

/** Age from which a look is published. */
const PUBLISHED_AFTER_MS = DAY
/** Number of looks of a host's day that are read to name the class of a client. */
const MAX_DAY_LOOKS = 20_000
/** Number of incidents that are searched for a look whose endpoint is not given. */
const MAX_INCIDENTS = 1000

/** Whether a look may be shown. */
export function isPublished({ at }: Pick<Observation, 'at'>, now: Time): boolean {
  return at + PUBLISHED_AFTER_MS <= now
}

/** Returns a time from which a look is surely published, in whole hours, so that it does not tell the minute of the look. */
export function publishedFrom({ at }: Pick<Observation, 'at'>): Time {
  return hourOf(at) + HOUR + PUBLISHED_AFTER_MS
}

/**
 * Finds a look by its id. Looks are stored by endpoint, so without one only looks that incidents cite are found.
 * @param endpoint canonical URL
 */
export async function findLook(
  store: Store,
  id: string,
  endpoint: string | undefined,
): Promise<Observation | undefined> {
  const at = endpoint ?? (await findCiting(store, id))
  const [look] = at === undefined ? [] : await store.cited(at, [id])
  return look
}

async function findCiting(store: Store, id: string): Promise<string | undefined> {
  const { records } = await store.incidents({ since: 0, limit: MAX_INCIDENTS })
  return records.find(({ observations }) => observations.includes(id))?.endpoint
}

/** Describes a look as it is published: the line of the host's day, and where that day is found. */
export async function publishLook(
  store: Store,
  look: Observation,
  publicUrl: string,
): Promise<PublishedLook> {
  const { host } = look
  const date = toDate(look.at)
  const line = await findLine(store, look, date)
  const leaf = await store.log.find(dayKey(host, date))
  const day = {
    date,
    url: `${publicUrl}/log/days/${date}/${encodeURIComponent(host)}`,
    leaf: leaf ?? null,
  }
  const published: Omit<PublishedLook, 'day'> = JSON.parse(line ?? createLookWriter()(look))
  return { ...published, ...(line === undefined && { client: null }), day }
}

/** Returns the line of a look in the published day of its host; undefined if it is not there. */
async function findLine(store: Store, { host, id }: Observation, date: string): Promise<string | undefined> {
  // Lines are canonical JSON, and an id holds nothing that JSON escapes.
  const mark = `"id":${JSON.stringify(id)}`
  let count = 0
  for await (const line of listDay(store, host, date)) {
    if (line.includes(mark)) return line
    if (++count >= MAX_DAY_LOOKS) return undefined
  }
  return undefined
}
