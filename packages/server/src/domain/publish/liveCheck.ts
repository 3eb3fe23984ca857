import type { Drift, ReceiverFacts, ScanCheck, TrustLive, Verdict } from '@touchstone402/shared'
import type { Observation, ReceiverRecord } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { toTimestamp } from '../facts/times.ts'
import { mainOffer } from '../judge/offers.ts'
import { FLAG_SPECS } from '../judge/spec.ts'

/** Tells how many hosts name a receiver now; null where none is known to. */
export type SharedBy = (network: string, address: string) => number | null

export type LiveCheckInput = {
  readonly verdict: Verdict
  /** The state before the live look, where there was one. */
  readonly before: EndpointState | undefined
  readonly look: { readonly state: EndpointState; readonly observations: readonly Observation[] }
  readonly record: ReceiverRecord | undefined
  readonly sharedBy: SharedBy
}

/** The live form of `/trust`: the verdict with what was just measured, each check, and what differs from before. */
export function describeLiveCheck({ verdict, before, look, record, sharedBy }: LiveCheckInput): TrustLive {
  const { state, observations } = look
  return {
    ...verdict,
    live: {
      alive: observations.some(({ purpose, outcome }) => purpose !== 'control' && outcome === 'up'),
      probes: observations.map((observation) => ({
        observation: observation.id,
        at: toTimestamp(observation.at),
        purpose: observation.purpose,
        client: observation.client,
        method: observation.method,
        outcome: observation.outcome,
        cause: observation.cause,
        httpStatus: observation.httpStatus,
        latencyMs: observation.latencyMs,
      })),
    },
    scan: { checks: scan(state, observations) },
    drift: before === undefined ? [] : findDrift(before, state, observations),
    receiver:
      record === undefined ? null : describeReceiver(record, sharedBy(record.network, record.address)),
  }
}

const SEVERITY = { clean: 'info', low: 'info', medium: 'warn', high: 'critical' } as const

/** One check a flag: it passes where the flag could have been raised and was not. */
function scan(state: EndpointState, observations: readonly Observation[]): ScanCheck[] {
  const answered = observations.some(({ purpose, outcome }) => purpose !== 'control' && outcome === 'up')
  const reasons = new Map(state.reasons.map((reason) => [reason.code, reason.evidence]))
  return Object.entries(FLAG_SPECS).map(([id, { risk }]) => {
    const isRaised = state.flags.some((flag) => flag === id)
    return {
      id,
      outcome: isRaised ? 'fail' : answered ? 'pass' : 'unknown',
      severity: SEVERITY[risk],
      evidence: [...(reasons.get(id) ?? [])],
    }
  })
}

const DRIFT_FIELDS = ['status', 'verdict', 'riskLevel'] as const
const OFFER_FIELDS = ['payTo', 'network', 'amountAtomic'] as const

/** What differs from before: in the judgement, and in what the looks showed, confirmed or not. */
function findDrift(
  before: EndpointState,
  after: EndpointState,
  observations: readonly Observation[],
): Drift[] {
  const drift: Drift[] = []
  const compare = (field: string, cached: string | null, live: string | null) => {
    const isKnown = drift.some((known) => known.field === field && known.live === live)
    if (cached !== live && !isKnown) drift.push({ field, cached, live })
  }
  for (const field of DRIFT_FIELDS) compare(field, before[field], after[field])
  for (const look of observations) {
    const offer = look.purpose === 'control' ? undefined : mainOffer(look)
    if (offer !== undefined) for (const field of OFFER_FIELDS) compare(field, before[field], offer[field])
  }
  return drift
}

/**
 * What the chain showed of a receiver, as answers carry it.
 * @param hosts how many hosts name it now, or null
 */
export function describeReceiver(record: ReceiverRecord, hosts: number | null): ReceiverFacts {
  const { firstReceiptAt, lastReceiptAt, lastOutflowAt, category } = record
  return {
    address: record.address,
    network: record.network,
    category: category === 'blank' ? null : category,
    isContract: record.isContract,
    firstReceiptAt: firstReceiptAt === null ? null : toTimestamp(firstReceiptAt),
    lastReceiptAt: lastReceiptAt === null ? null : toTimestamp(lastReceiptAt),
    lastOutflowAt: lastOutflowAt === null ? null : toTimestamp(lastOutflowAt),
    receipts30d: record.receipts30d,
    receipts90d: record.receipts90d,
    payers30d: record.payers30d,
    payers90d: record.payers90d,
    selfFundedPayers: record.selfFundedExcluded,
    sharedByHosts: hosts,
    blockNumber: record.blockNumber,
  }
}
