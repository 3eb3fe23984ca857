import { networkAddressKey } from '@touchstone402/shared'
import type { Listing, Observation, Outcome, ReceiverRecord, Time } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { recordId } from '../../domain/facts/ids.ts'
import { HOUR, MINUTE } from '../../domain/facts/times.ts'
import { categoryOf } from '../../domain/judge/evidence.ts'
import { judgeEndpoint } from '../../domain/judge/judge.ts'
import { carry } from '../../domain/judge/memory/carried.ts'
import type { LoggedPrice } from '../../domain/publish/leaves.ts'
import type { CheckedDay } from './fetchDays.ts'
import { type InputLine, type LookLine, readDisagreement } from './publishedLines.ts'

/** What is published of an endpoint until the end of a day. */
export type Published = {
  readonly endpoint: string
  /** Oldest first, at least one with a look at the endpoint. */
  readonly days: readonly CheckedDay[]
  /** Medians of the day, and of the day before. */
  readonly prices: readonly (ReadonlyMap<string | null, LoggedPrice> | undefined)[]
}

/**
 * One reading of what published looks leave out. A field on which all readings agree follows from what is published; on
 * others the hidden times, identities or moments decide.
 */
export type Reading = {
  /** Where within its hour a look was made; a number draws early or late for each hour, so that spans come out longer or shorter. */
  readonly place: 'even' | 'early' | 'late' | number
  /** Whether a class of two days is one client identity; classes are named anew each day. */
  readonly isOneClient: boolean
  /** The control probe, if the leaf does not tell its outcome. */
  readonly control: Outcome
  /** 0 for the medians of the day, 1 for those of the day before. */
  readonly prices: 0 | 1
  /** Whether facts of the hour of the last look count. */
  readonly hasLastHour: boolean
}

const PLAIN: Reading = {
  place: 'even',
  isOneClient: true,
  control: 'not_measured',
  prices: 0,
  hasLastHour: true,
}

/** Draws of early and late hours: each way in which two hours can fall is missed in one of a thousand cases. */
const DRAWS = 24

/** The readings that are compared, the most likely one first. */
export const READINGS: readonly Reading[] = [
  PLAIN,
  { ...PLAIN, place: 'early' },
  { ...PLAIN, place: 'late' },
  { ...PLAIN, isOneClient: false },
  { ...PLAIN, place: 'early', isOneClient: false },
  { ...PLAIN, control: 'up' },
  { ...PLAIN, prices: 1 },
  { ...PLAIN, hasLastHour: false },
  ...Array.from({ length: DRAWS }, (_, draw) => ({ ...PLAIN, place: draw })),
]

/** A judgement may come after the end of the hour of its look, once the chain has been read. */
const JUDGED_WITHIN_MS = 5 * MINUTE

/** Returns the looks at an endpoint among those of its host's days, oldest first. */
export const looksAt = (days: readonly CheckedDay[], endpoint: string) =>
  days.flatMap(({ leaf: { date }, looks }) =>
    looks.filter((look) => look.endpoint === endpoint).map((look) => ({ date, look })),
  )

/** Judges the published past of an endpoint by the published score, under one reading. */
export function judgePublished({ endpoint, days, prices }: Published, reading: Reading): EndpointState {
  const looks = placeLooks(looksAt(days, endpoint), reading)
  const last = looks.at(-1)
  if (last === undefined) throw new Error(`no look at ${endpoint} is published`)
  const hour = last.at - (last.at % HOUR)
  const until = hour + (reading.hasLastHour ? HOUR + JUDGED_WITHIN_MS : -1)
  const facts = [...new Map(days.flatMap(({ inputs }) => inputs).map((fact) => [fact.id, fact])).values()]
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at)
  const { host } = new URL(endpoint)
  const listings = facts.flatMap((fact) => (isListed(fact, endpoint) ? [toListing(fact, host)] : []))
  const median = prices[reading.prices] ?? prices[0]
  return judgeEndpoint({
    endpoint,
    host,
    listings,
    carried: carry(undefined, looks).carried,
    control: { ...last, purpose: 'control', outcome: days.at(-1)?.leaf.control ?? reading.control },
    announcements: facts.filter((fact) => fact.kind === 'announcement'),
    purchases: facts.filter((fact) => fact.kind === 'purchase').filter((fact) => fact.endpoint === endpoint),
    recordsOf: indexRecords(facts),
    categoryPrice: () => median?.get(categoryOf(listings)) ?? median?.get(null),
    incidents: [],
    now: last.at,
    random: 0,
  }).state
}

type Dated = ReturnType<typeof looksAt>[number]

function placeLooks(looks: readonly Dated[], { place, isOneClient }: Reading): Observation[] {
  const inHour = new Map<string, number>()
  for (const { look } of looks) inHour.set(look.hour, (inHour.get(look.hour) ?? 0) + 1)
  const seen = new Map<string, number>()
  return looks.map(({ date, look }) => {
    const nth = seen.get(look.hour) ?? 0
    seen.set(look.hour, nth + 1)
    const of = inHour.get(look.hour) ?? 1
    const offset = {
      even: Math.floor(((nth + 0.5) / of) * HOUR),
      early: nth * 1000,
      late: HOUR - (of - nth) * 1000,
    }[typeof place === 'number' ? draw(place, look.hour) : place]
    const client = `${look.client ?? ''}${isOneClient ? '' : ` ${date}`}`
    return toObservation(look, Date.parse(look.hour) + Math.min(Math.max(offset, 0), HOUR - 1), client)
  })
}

/** Draws the same for all looks of an hour, so that their order stays. */
const draw = (seed: number, hour: string) =>
  Number.parseInt(recordId('draw', seed, hour).slice(-4), 16) % 2 === 0 ? 'early' : 'late'

function toObservation(look: LookLine, at: Time, client: string): Observation {
  const { leadsHere, request, reread, offers, disagreements, cause, hour: _, ...plain } = look
  const { resourceOrigin = null, declaresInput = false, declaresOutput = false } = look
  return {
    ...plain,
    kind: 'observation',
    at,
    host: new URL(look.endpoint).host,
    client,
    // Causes that this release does not know count as others do that it has no rule for.
    cause: cause as Observation['cause'],
    latencyMs: null,
    offers: offers.map(({ unsafeFlow = null, unpayable, ...offer }) => ({
      ...offer,
      unsafeFlow,
      ...(unpayable !== undefined && {
        unpayable: unpayable as NonNullable<Observation['offers'][number]['unpayable']> | null,
      }),
    })),
    disagreements: disagreements.map(readDisagreement),
    resourceOrigin,
    declaresInput,
    declaresOutput,
    ...(leadsHere !== undefined && { resourceAsked: { at, leadsHere } }),
    ...(request !== undefined && { request }),
    ...(reread === true && { reread }),
  }
}

type ListedLine = Extract<InputLine, { kind: 'listing' }>

const isListed = (fact: InputLine, endpoint: string): fact is ListedLine =>
  fact.kind === 'listing' && fact.endpoint === endpoint

const toListing = (line: ListedLine, host: string): Listing => ({
  ...line,
  host,
  url: line.endpoint,
  body: null,
  title: null,
})

function indexRecords(facts: readonly InputLine[]) {
  const records = new Map<string, ReceiverRecord[]>()
  for (const fact of facts) {
    if (fact.kind !== 'receiver') continue
    const key = networkAddressKey(fact.network, fact.address)
    records.set(key, [...(records.get(key) ?? []), fact])
  }
  return (network: string, address: string) => records.get(networkAddressKey(network, address)) ?? []
}
