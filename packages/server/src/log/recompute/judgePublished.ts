import { INCIDENT_KINDS, networkAddressKey, usdToAtomic } from '@touchstone402/shared'
import { z } from 'zod'
import type { Listing, Observation, Purchase, ReceiverRecord } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { DAY, toDate } from '../../facts/times.ts'
import { judgeEndpoint } from '../../judge/judge.ts'
import { LIMITS } from '../../judge/spec.ts'
import { PURCHASE_WITHHELD_MS } from '../../publish/publishedInputs.ts'
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
  /** The newest published day of the host after them, whose inputs hold the purchases that were withheld until then. */
  readonly later?: CheckedDay | undefined
}

/** Returns the time for which a decision holds: its own, or that of the last probe, if that came later. */
const decidedFor = ({ endpoint, decision, days }: Published): number =>
  Math.max(Date.parse(decision.leaf.at), observationsAt(days, endpoint).at(-1)?.at ?? 0)

/**
 * Whether every test purchase that a decision can rest on is published: 30 days after it. Before that, a delivery is taken
 * as the decision states it.
 */
export function arePurchasesPublished(published: Published): boolean {
  const date = (published.later ?? published.days.at(-1))?.leaf.date
  return date !== undefined && decidedFor(published) + PURCHASE_WITHHELD_MS < Date.parse(date) + DAY
}

/** Stated by a decision, since the medians of the day are logged only after its end. */
const CategoryPriceSchema = z
  .object({
    medianUsd: z.number().min(0),
    count: z.int().min(0),
    isWhole: z.exactOptional(z.boolean()),
  })
  .nullish()

/** Stated by a decision, since the other host is listed apart. */
const LookalikeSchema = z.string().max(300).nullish()

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

/** Stated by a decision, since they are settings of the service. */
const ShoppingSchema = z.object({ network: z.string(), perCallUsd: z.number().min(0) }).nullish()

const DeliverySchema = z
  .object({
    status: z.string(),
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
      .nullable(),
    paidUsd: z.number().min(0).max(1e9).nullable(),
  })
  .nullish()

const TermsSchema = z.array(z.object({ network: z.string(), payTo: z.string() })).nullish()

/** Returns the probes of an endpoint among those of its host's days, oldest first. */
export const observationsAt = (days: readonly CheckedDay[], endpoint: string): readonly Observation[] =>
  days.flatMap(({ observations }) => observations.filter((observation) => observation.endpoint === endpoint))

/**
 * Judges the published past of an endpoint as the service did: at its last probe, or at the decision if that came later.
 * A decision holds for all probes until the next one, of which the first may no longer be kept.
 */
export function judgePublished(published: Published): EndpointState {
  const { endpoint, decision, days, isWhole, later } = published
  const { index, leaf, opening } = decision
  const observations = observationsAt(days, endpoint)
  const last = observations.at(-1)
  const decidedAt = Date.parse(leaf.at)
  const now = decidedFor(published)
  // Chain records are read within a probe, after its time.
  const isRead = ({ kind, at }: InputLine) => at <= now || (kind === 'receiver' && now > decidedAt)
  const purchases = later?.inputs.filter(({ kind }) => kind === 'purchase') ?? []
  const inputs = [...days.flatMap((day) => day.inputs), ...purchases]
  const known = [...new Map(inputs.map((fact) => [fact.id, fact])).values()]
  const facts = known.filter(isRead).sort((a, b) => a.at - b.at)
  const { host } = new URL(endpoint)
  const price = check(CategoryPriceSchema, opening.categoryPrice, index) ?? undefined
  const accusations = check(AccusationsSchema, opening.accusations, index) ?? []
  const lookalike = check(LookalikeSchema, opening.lookalike, index) ?? undefined
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
    purchases: [
      ...facts.filter((fact) => fact.kind === 'purchase').filter((fact) => fact.endpoint === endpoint),
      ...(arePurchasesPublished(published) ? [] : standIn(decision, endpoint, now)),
    ],
    shopping: check(ShoppingSchema, opening.shopping, index) ?? null,
    recordsOf: indexRecords(facts),
    categoryPrice: () => price,
    lookalike,
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
 * Returns a purchase that stands in for the delivery that a decision states while the purchase is withheld. Purchases that
 * were paid and not delivered are published as soon as verdicts show them.
 */
function standIn({ index, leaf, opening }: LoggedDecision, endpoint: string, now: number): Purchase[] {
  const { status, month, paidUsd } = check(DeliverySchema, leaf.delivery, index) ?? {}
  if (status !== 'delivered' || typeof month !== 'string') return []
  // The month alone is stated, and whether it was within the last 30 days, which the score counts.
  const begin = Date.parse(`${month}-01T00:00:00Z`)
  const end = Date.UTC(new Date(begin).getUTCFullYear(), new Date(begin).getUTCMonth() + 1) - 1
  const at = opening.delivered === true ? Math.min(end, now) : Math.min(begin, now - LIMITS.purchaseMemoryMs)
  const terms = check(TermsSchema, opening.terms, index) ?? []
  const network = check(ShoppingSchema, opening.shopping, index)?.network ?? ''
  const { payTo = '' } = terms.find((term) => term.network === network) ?? terms[0] ?? {}
  const amountAtomic = `${usdToAtomic((paidUsd ?? 0).toFixed(6))}`
  const { host } = new URL(endpoint)
  const paid = { network, payTo, amountAtomic, txHash: null }
  return [{ kind: 'purchase', id: 'stated', at, endpoint, host, ...paid, settled: true, delivered: true }]
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
