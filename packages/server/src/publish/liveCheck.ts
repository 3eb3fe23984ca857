import {
  type Drift,
  FLAGS,
  type ReceiverFacts,
  type ScanCheck,
  type TrustLive,
  type Verdict,
} from '@touchstone402/shared'
import type { Observation, ReceiverRecord } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { toTimestamp } from '../facts/times.ts'
import { severityOf } from '../judge/flags.ts'
import { mainOffer } from '../judge/offers.ts'
import { currentVerdict } from './verdict.ts'

export type LiveCheckInput = {
  readonly verdict: Verdict
  /** The state before the live check, if any. */
  readonly before: EndpointState | undefined
  readonly observation: { readonly state: EndpointState; readonly observations: readonly Observation[] }
  readonly record: ReceiverRecord | undefined
  /** Number of hosts that name the receiver; null if none does. */
  readonly sharedByHosts: number | null
}

/** Builds the live form of `/trust`: the verdict, the probes just made, each check, and the drift from before. */
export function describeLiveCheck({
  verdict,
  before,
  observation,
  record,
  sharedByHosts,
}: LiveCheckInput): TrustLive {
  const { state, observations } = observation
  return {
    ...verdict,
    live: {
      alive: isAlive(observations),
      probes: observations.map((probe) => ({
        id: probe.id,
        at: toTimestamp(probe.at),
        purpose: probe.purpose,
        client: probe.client,
        method: probe.method,
        outcome: probe.outcome,
        cause: probe.cause,
        httpStatus: probe.httpStatus,
        latencyMs: probe.latencyMs,
      })),
    },
    scan: { checks: scan(state, observations) },
    drift: before === undefined ? [] : findDrift(before, verdict, observations),
    receiver: record === undefined ? null : describeReceiver(record, sharedByHosts),
  }
}

/** Lists one check per flag. A check without any answer from the endpoint is `unknown`. */
function scan(state: EndpointState, observations: readonly Observation[]): ScanCheck[] {
  const passed = isAlive(observations) ? 'pass' : 'unknown'
  const reasons = new Map(state.reasons.map((reason) => [reason.code, reason]))
  return FLAGS.map((id) => ({
    id,
    outcome: state.flags.includes(id) ? 'fail' : passed,
    severity: reasons.get(id)?.severity ?? severityOf(id),
    evidence: [...(reasons.get(id)?.evidence ?? [])],
  }))
}

const isAlive = (observations: readonly Observation[]) =>
  observations.some(({ purpose, outcome }) => purpose !== 'control' && outcome === 'up')

const DRIFT_FIELDS = ['status', 'verdict', 'riskLevel'] as const
const OFFER_FIELDS = ['payTo', 'network', 'amountAtomic'] as const

/** Lists the differences from before, in the judgement and in the probed terms, confirmed or not. */
function findDrift(before: EndpointState, after: Verdict, observations: readonly Observation[]): Drift[] {
  const drift: Drift[] = []
  const compare = (field: string, cached: string | null, live: string | null) => {
    const isKnown = drift.some((known) => known.field === field && known.live === live)
    if (cached !== live && !isKnown) drift.push({ field, cached, live })
  }
  // As `/verify` would have answered just now.
  const cached = currentVerdict(before, Date.parse(after.ts))
  for (const field of DRIFT_FIELDS) compare(field, cached[field], after[field])
  for (const probe of observations) {
    const offer = probe.purpose === 'control' ? undefined : mainOffer(probe)
    if (offer !== undefined) for (const field of OFFER_FIELDS) compare(field, before[field], offer[field])
  }
  return drift
}

/**
 * Builds the published facts about a receiver.
 * @param hosts number of hosts that name it now, or null
 */
export function describeReceiver(record: ReceiverRecord, hosts: number | null): ReceiverFacts {
  const { firstReceiptAt, lastReceiptAt, lastOutflowAt, category, isWholeLife = false } = record
  return {
    address: record.address,
    network: record.network,
    category: category === 'blank' ? null : category,
    isContract: record.isContract,
    historyFrom: { time: toTimestamp(record.historyFrom), block: record.historyFromBlock ?? null },
    wholeHistory: isWholeLife,
    receiptsEver: isWholeLife ? record.receiptsEver : null,
    firstReceiptAt: isWholeLife && firstReceiptAt !== null ? toTimestamp(firstReceiptAt) : null,
    lastReceiptAt: lastReceiptAt === null ? null : toTimestamp(lastReceiptAt),
    lastOutflowAt: lastOutflowAt === null ? null : toTimestamp(lastOutflowAt),
    receipts30d: record.receipts30d,
    receipts90d: record.receipts90d,
    payers30d: record.payers30d,
    payers90d: record.payers90d,
    unadjusted: record.unadjusted ?? null,
    selfFundedPayers: record.selfFundedExcluded,
    cyclePayers: record.cycleExcluded ?? 0,
    sanctions: record.sanctions ?? null,
    sharedByHosts: hosts,
    blockNumber: record.blockNumber,
  }
}
