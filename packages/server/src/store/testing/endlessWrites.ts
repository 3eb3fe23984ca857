import type { Time } from '../../facts/facts.ts'
import { PROBES_KEPT_MS, toDate } from '../../facts/times.ts'
import { judgeHost } from '../../publish/profile.ts'
import { currentVerdict } from '../../publish/verdict.ts'
import { readClaim } from '../claims.ts'
import { readState } from '../endpoints.ts'
import { readEndpointFacts } from '../facts.ts'
import { readSummary } from '../hosts.ts'
import { findLeaf } from '../log.ts'
import { readDays, readObservations } from '../observations.ts'
import type { Store } from '../store.ts'
import { aState } from './documents.ts'
import { aChange, anObservation, aWantedClaim, NOON } from './records.ts'

const HOSTS = 40
const ENDPOINTS = 3
const LOOPS = 8
const SECOND = 1000

/** Options of `writeEndlessly`. */
export type EndlessWrites = {
  /** Number of the first probe, above those of earlier calls. @default 0 */
  readonly from?: number
  /** Time of the probe number 0. @default NOON */
  readonly startAt?: Time
  /** Time in ms from one probe to the next. @default a second */
  readonly stepMs?: number
}

/**
 * Writes probes with their states, days and changes, claims and leaves of the log, with several concurrent calls and without end.
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
      await writeObservation(store, number, startAt + number * stepMs)
      acknowledge(`probe ${number}`)
      if (number % 3 !== 0) continue
      // Claimed now, since the answers of older claims expire before they are looked for.
      const at = Date.now()
      await store.write('claimPayment', { ...claimOf(number), claimedAt: at })
      await store.write('advancePayment', claimOf(number), 'settling', { at, answer: answerOf(number) })
      acknowledge(`claim ${number}`)
      await store.write('addLeaves', [leafOf(number)])
      acknowledge(`leaf ${number}`)
    }
  }
  await Promise.all(Array.from({ length: LOOPS }, loop))
}

/**
 * Returns what a store lacks of acknowledged writes, and what it holds in part.
 * @param acknowledged in their order
 * @param afterPowerCut whether the probes behind the last acknowledged claim or leaf may be absent. @default false
 */
export async function findMissing(
  store: Store,
  acknowledged: readonly string[],
  afterPowerCut = false,
): Promise<string[]> {
  const made = new Set<number>()
  const missing: string[] = []
  for (let index = 0; index < HOSTS * ENDPOINTS; index++)
    missing.push(...(await findMissingAt(store, placeOf(index).endpoint, made)))
  // Claims and leaves wait until the disk has all before them; each loop may be heard out of turn by one write.
  const durable = acknowledged.findLastIndex((name) => !name.startsWith('probe ')) - LOOPS
  for (const [index, name] of acknowledged.entries()) {
    const [kind, digits] = name.split(' ')
    const number = Number(digits)
    const isThere =
      kind === 'probe'
        ? made.has(number)
        : kind === 'claim'
          ? await hasClaim(store, number)
          : (await findLeaf(store, leafOf(number).key)) !== undefined
    const mayLack = afterPowerCut && kind === 'probe' && index >= durable
    if (!isThere && !mayLack) missing.push(name)
  }
  return missing
}

/** Counts the probes of `writeEndlessly` that were dropped for their age. */
export async function countDropped(store: Store): Promise<number> {
  let dropped = 0
  for (let index = 0; index < HOSTS * ENDPOINTS; index++) {
    const { endpoint } = placeOf(index)
    const { changes } = await readEndpointFacts(store, endpoint)
    dropped += changes.length - (await readObservations(store, endpoint)).length
  }
  return dropped
}

/** Returns what is missing at one endpoint. Adds the numbers of its probes to `made`. */
async function findMissingAt(store: Store, endpoint: string, made: Set<number>): Promise<string[]> {
  const [known, observations, { changes }, days] = await Promise.all([
    readState(store, endpoint),
    readObservations(store, endpoint),
    readEndpointFacts(store, endpoint),
    readDays(store, endpoint),
  ])
  const missing: string[] = []
  const kept = new Set(observations.map(({ id }) => Number(id)))
  const upOf = new Map(days.map(({ date, up }) => [date, up]))
  const lastAt = known?.state.derivedAt ?? 0
  const lastOf = new Map<string, number>()
  // Each probe has a change, and changes are kept for ever.
  for (const change of changes) {
    const [number, at] = [Number(change.before), Date.parse(change.at)]
    made.add(number)
    if (!kept.has(number) && at >= lastAt - PROBES_KEPT_MS) missing.push(`the probe of change ${number}`)
    if (at > lastAt) missing.push(`the state of ${endpoint} with change ${number}`)
    lastOf.set(toDate(at), Math.max(number, lastOf.get(toDate(at)) ?? 0))
  }
  for (const number of kept) if (!made.has(number)) missing.push(`the change of ${number}`)
  for (const [date, number] of lastOf)
    if (upOf.get(date) !== number) missing.push(`the day ${date} of ${endpoint}`)
  if (upOf.size !== lastOf.size) missing.push(`the probes of a day of ${endpoint}`)
  return missing
}

/**
 * Returns the verdicts of which the totals of a store count others than its summaries do.
 * @param others hosts of the store besides those of `writeEndlessly`. @default none
 */
export async function findWrongTotals(store: Store, others: readonly string[] = []): Promise<string[]> {
  const now = NOON
  const counted = new Map<string, number>()
  const add = (name: string, count: number) => counted.set(name, (counted.get(name) ?? 0) + count)
  const hosts = Array.from({ length: HOSTS }, (_, number) => hostOf(number))
  for (const host of [...hosts, ...others]) {
    const summary = await readSummary(store, host)
    if (summary === undefined) continue
    add(`hosts ${judgeHost(summary.endpoints, now).verdict}`, 1)
    for (const row of summary.endpoints) add(`endpoints ${currentVerdict(row, now).verdict}`, 1)
  }
  const totals = await store.totals(now)
  for (const { verdict, count } of totals.hosts) add(`hosts ${verdict}`, -count)
  for (const { verdict, count } of totals.endpoints) add(`endpoints ${verdict}`, -count)
  return [...counted].flatMap(([name, count]) => (count === 0 ? [] : [name]))
}

async function writeObservation(store: Store, number: number, at: Time): Promise<void> {
  const place = placeOf(number)
  const observation = anObservation({ ...place, id: `${number}`, at, latencyMs: number % 500 })
  const named = { before: `${number}`, at: new Date(at).toISOString() }
  const change = aChange({ ...place, id: `change ${number}`, ...named })
  const counts = { up: number, down: 0, notMeasured: 0, latencyMsP50: null, latencyMsP90: null }
  await store.write(
    'putEndpoint',
    aState({ ...place, derivedAt: at, status: number % 7 === 0 ? 'dark' : 'live', score: number % 101 }),
    {
      facts: [observation, { kind: 'change', id: change.id, at, change }],
      days: [{ ...place, date: toDate(at), ...counts }],
    },
  )
}

async function hasClaim(store: Store, number: number): Promise<boolean> {
  const claim = await readClaim(store, claimOf(number), Date.now())
  return claim?.state === 'settling' && claim.answer?.body === answerOf(number).body
}

const hostOf = (number: number) => `host${number % HOSTS}.example`
// On a network that nothing else uses, so that a campaign which reconciles claims with its own chain leaves them alone.
const claimOf = (number: number) =>
  aWantedClaim({ network: 'eip155:402', nonce: `0x${number.toString(16).padStart(64, '0')}` })
const leafOf = (number: number) => ({ key: `endless ${number}`, leaf: `{"number":${number}}`, opening: null })
const answerOf = (number: number) => ({ status: 200, headers: {}, body: `answer ${number}` })

function placeOf(number: number) {
  const host = hostOf(number)
  return { host, endpoint: `https://${host}/${Math.floor(number / HOSTS) % ENDPOINTS}` }
}
