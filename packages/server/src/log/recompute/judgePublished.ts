import { INCIDENT_KINDS, networkAddressKey } from '@touchstone402/shared'
import { z } from 'zod'
import type { Listing, Observation, Purchase, ReceiverRecord } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { toDate } from '../../facts/times.ts'
import { judgeEndpoint } from '../../judge/judge.ts'
import type { CheckedDay } from './fetchDays.ts'
import { type InputLine, MAX_TIME } from './publishedLines.ts'
import { check, type LoggedDecision } from './readLoggedPast.ts'

/** Published record of an endpoint, and the decision at its end. */
export type Published = {
  readonly endpoint: string
  readonly decision: LoggedDecision
  /** Oldest first, at least one with a probe of the endpoint. */
  readonly days: readonly CheckedDay[]
  /** Whether no older day was ever logged. */
  readonly isWhole: boolean
}

/** Stated by a decision, since the medians of the day are logged only after its end. */
const CategoryPriceSchema = z
  .object({
    medianUsd: z.number().min(0),
    count: z.int().min(0),
    isWhole: z.exactOptional(z.boolean()),
  })
  .nullish()

const time = z.int().min(0).max(MAX_TIME)

/** Stated by a decision, since those of other hosts are logged apart. */
const AccusationsSchema = z
  .array(
    z.object({
      incident: z.string(),
      kind: z.enum(INCIDENT_KINDS),
      host: z.string(),
      endpoint: z.url(),
      detectedAt: time,
      network: z.string(),
      payTo: z.string(),
      namedAt: time,
    }),
  )
  .nullish()

/** Returns the probes of an endpoint among those of its host's days, oldest first. */
export const observationsAt = (days: readonly CheckedDay[], endpoint: string): readonly Observation[] =>
  days.flatMap(({ observations }) => observations.filter((observation) => observation.endpoint === endpoint))

/**
 * Judges the published past of an endpoint as the service did: at its last probe, or at the decision if that came later.
 * A decision holds for all probes until the next one, of which the first may no longer be kept.
 */
export function judgePublished({ endpoint, decision, days, isWhole }: Published): EndpointState {
  const { index, leaf, opening } = decision
  const observations = observationsAt(days, endpoint)
  const last = observations.at(-1)
  const decidedAt = Date.parse(leaf.at)
  const now = Math.max(decidedAt, last?.at ?? 0)
  // Chain records are read within a probe, after its time.
  const isRead = ({ kind, at }: InputLine) => at <= now || (kind === 'receiver' && now > decidedAt)
  const known = [...new Map(days.flatMap(({ inputs }) => inputs).map((fact) => [fact.id, fact])).values()]
  const facts = known.filter(isRead).sort((a, b) => a.at - b.at)
  const { host } = new URL(endpoint)
  const price = check(CategoryPriceSchema, opening.categoryPrice, index) ?? undefined
  const accusations = check(AccusationsSchema, opening.accusations, index) ?? []
  return judgeEndpoint({
    endpoint,
    host,
    observations,
    isWhole,
    // The decision rests on what is published with the probes alone.
    changes: [],
    listings: facts.flatMap((fact) => (isListed(fact, endpoint) ? [toListing(fact, host)] : [])),
    control: controlAt(days, now, last),
    announcements: facts.filter((fact) => fact.kind === 'announcement'),
    purchases: listPurchases(facts, endpoint, opening.delivered === true ? now : null),
    recordsOf: indexRecords(facts),
    categoryPrice: () => price,
    accusations,
    incidents: [],
    now,
    random: 0,
  }).state
}

/** Returns the newest control probe until the end of a day, of which the leaves state the outcome. */
function controlAt(
  days: readonly CheckedDay[],
  now: number,
  last: Observation | undefined,
): Observation | undefined {
  const day = days.findLast(({ leaf }) => leaf.control !== null && leaf.date <= toDate(now))
  const outcome = day?.leaf.control ?? null
  return last === undefined || outcome === null ? undefined : { ...last, purpose: 'control', outcome }
}

/**
 * Lists the purchases that are published. A decision states whether the last one was delivered, which is published a month
 * later: it stands in for that one. @param deliveredAt null if it states none
 */
function listPurchases(
  facts: readonly InputLine[],
  endpoint: string,
  deliveredAt: number | null,
): readonly Purchase[] {
  const known = facts.filter((fact) => fact.kind === 'purchase' && fact.endpoint === endpoint)
  const published = known.filter((fact) => fact.kind === 'purchase')
  if (deliveredAt === null || published.findLast(({ settled }) => settled)?.delivered === true)
    return published
  const { host } = new URL(endpoint)
  const stated = { id: 'stated', at: deliveredAt, endpoint, host, network: '', payTo: '', amountAtomic: '0' }
  return [...published, { kind: 'purchase', ...stated, settled: true, delivered: true, txHash: null }]
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
