import type { Observation, Time } from '../../../domain/facts/facts.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import { toDate } from '../../../domain/facts/times.ts'
import type { CarriedOn } from '../../../domain/judge/memory/carried.ts'
import { indexHost } from '../../../domain/publish/hostIndex.ts'
import type { Store } from '../../../ports/store.ts'
import { aDocument } from './documents.ts'
import { aChange, anObservation, aWantedClaim, NOON } from './records.ts'

const HOSTS = 40
const ENDPOINTS = 3
const LOOPS = 8
const SECOND = 1000

/** Options of `writeEndlessly`. */
export type EndlessWrites = {
  /** Number of the first look, above those of earlier calls. @default 0 */
  readonly from?: number
  /** Time of the look number 0. @default NOON */
  readonly startAt?: Time
  /** Time in ms from one look to the next. @default a second */
  readonly stepMs?: number
}

/**
 * Writes looks with their documents, days and changes, and claims, with several concurrent calls and without end. A store
 * that drops looks must carry `countLooks`.
 * @param acknowledge receives the name of each durable write
 */
export async function writeEndlessly(
  store: Store,
  acknowledge: (name: string) => void,
  { from = 0, startAt = NOON, stepMs = SECOND }: EndlessWrites = {},
): Promise<void> {
  let next = from
  const loop = async (): Promise<void> => {
    for (;;) {
      const number = next++
      await writeLook(store, number, startAt + number * stepMs)
      acknowledge(`look ${number}`)
      if (number % 3 !== 0) continue
      await store.claims.claim(claimOf(number))
      await store.claims.advance(claimOf(number), 'settling', { at: NOON + number, answer: answerOf(number) })
      acknowledge(`claim ${number}`)
    }
  }
  await Promise.all(Array.from({ length: LOOPS }, loop))
}

/** Stands in for the carried state: counts the looks, so that each that is dropped can be accounted for. */
export function countLooks(before: Carried | undefined, looks: readonly Observation[]): CarriedOn {
  const scoreVersion = `${countOf(before) + looks.length}`
  return { carried: { scoreVersion, lastAt: looks.at(-1)?.at ?? before?.lastAt ?? 0 }, days: [] }
}

const countOf = (carried: Carried | undefined) => Number(carried?.scoreVersion ?? 0)

/** Returns the number of looks that a store dropped past the retention. */
export async function countDropped(store: Store): Promise<number> {
  let dropped = 0
  for (let index = 0; index < HOSTS * ENDPOINTS; index++)
    dropped += countOf(await store.base(placeOf(index).endpoint))
  return dropped
}

/** Returns what a store lacks of acknowledged writes, and what it holds in part. */
export async function findMissing(store: Store, acknowledged: Iterable<string>): Promise<string[]> {
  const made = new Set<number>()
  const missing: string[] = []
  for (let index = 0; index < HOSTS * ENDPOINTS; index++)
    missing.push(...(await findMissingAt(store, placeOf(index).endpoint, made)))
  for (const name of acknowledged) {
    const [kind, digits] = name.split(' ')
    const number = Number(digits)
    const isThere = kind === 'look' ? made.has(number) : await hasClaim(store, number)
    if (!isThere) missing.push(name)
  }
  return missing
}

/** Returns what is missing at one endpoint. Adds the numbers of its looks to `made`. */
async function findMissingAt(store: Store, endpoint: string, made: Set<number>): Promise<string[]> {
  const [known, base, { changes }, days] = await Promise.all([
    store.endpoint(endpoint),
    store.base(endpoint),
    store.endpointFacts(endpoint),
    store.days(endpoint),
  ])
  const missing: string[] = []
  const kept = new Map<number, Time>()
  for await (const { id, at } of store.looks(endpoint)) kept.set(Number(id), at)
  // A kill between carrying looks and dropping them leaves looks that are carried too.
  const carriedUntil = base?.lastAt ?? 0
  const upOf = new Map(days.map(({ date, up }) => [date, up]))
  const last = { number: 0, at: 0 }
  const lastOf = new Map<string, number>()
  // Each look has a change, and changes are kept for ever.
  for (const change of changes) {
    const [number, at] = [Number(change.before), Date.parse(change.at)]
    made.add(number)
    if (!kept.has(number) && at > carriedUntil) missing.push(`the look of change ${number}`)
    lastOf.set(toDate(at), Math.max(number, lastOf.get(toDate(at)) ?? 0))
    if (at > last.at) Object.assign(last, { number, at })
  }
  for (const number of kept.keys()) if (!made.has(number)) missing.push(`the change of ${number}`)
  for (const [date, number] of lastOf)
    if (upOf.get(date) !== number) missing.push(`the day ${date} of ${endpoint}`)
  if (upOf.size !== lastOf.size) missing.push(`the looks of a day of ${endpoint}`)
  if ((known?.state.derivedAt ?? 0) !== last.at) missing.push(`the document of ${endpoint}`)
  const notCarried = [...kept.values()].filter((at) => at > carriedUntil)
  if (countOf(base) + notCarried.length !== changes.length) missing.push(`dropped looks of ${endpoint}`)
  return missing
}

/** Returns the totals of a store that differ from a count of all summaries. */
export async function findWrongTotals(store: Store): Promise<string[]> {
  const now = NOON
  const counted = new Map<string, number>()
  for (let host = 0; host < HOSTS; host++) {
    const summary = await store.summary(hostOf(host))
    if (summary === undefined) continue
    for (const [name, count] of indexHost(summary, now).counts)
      counted.set(name, (counted.get(name) ?? 0) + count)
  }
  const stated = await store.counts('', now)
  const names = new Set([...counted.keys(), ...stated.keys()])
  return [...names].filter((name) => (counted.get(name) ?? 0) !== (stated.get(name) ?? 0))
}

async function writeLook(store: Store, number: number, at: Time): Promise<void> {
  const place = placeOf(number)
  const look = anObservation({ ...place, id: `${number}`, at, latencyMs: number % 500 })
  const named = { before: `${number}`, at: new Date(at).toISOString() }
  const change = aChange({ ...place, id: `change ${number}`, ...named })
  const counts = { up: number, down: 0, notMeasured: 0, latencyMsP50: null, latencyMsP90: null }
  await store.putEndpoint(
    aDocument({ ...place, derivedAt: at, status: number % 7 === 0 ? 'dark' : 'live', score: number % 101 }),
    {
      facts: [look, { kind: 'change', id: change.id, at, change }],
      days: [{ ...place, date: toDate(at), ...counts }],
    },
  )
}

async function hasClaim(store: Store, number: number): Promise<boolean> {
  const claim = await store.claims.get(claimOf(number))
  return claim?.state === 'settling' && claim.answer?.body === answerOf(number).body
}

const hostOf = (number: number) => `host${number % HOSTS}.example`
// On a network that nothing else uses, so that a campaign which reconciles claims with its own chain leaves them alone.
const claimOf = (number: number) =>
  aWantedClaim({ network: 'eip155:402', nonce: `0x${number.toString(16).padStart(64, '0')}` })
const answerOf = (number: number) => ({ status: 200, headers: {}, body: `answer ${number}` })

function placeOf(number: number) {
  const host = hostOf(number)
  return { host, endpoint: `https://${host}/${Math.floor(number / HOSTS) % ENDPOINTS}` }
}
