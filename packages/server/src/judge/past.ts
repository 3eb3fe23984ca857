import { BASE, type Change, findNetwork, type PricePeriod, type Status } from '@touchstone402/shared'
import type { Announcement, Observation, Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { isAnnounced } from './announced.ts'
import { createEpoch, type Epoch, type Receivers, type ReceiversBefore, splitEpochs } from './epochs.ts'
import { normalAddress, offerKey } from './offers.ts'
import { LIMITS } from './spec.ts'
import type { StatusBefore } from './status.ts'

/** Results of earlier judgements of an endpoint whose first probes are no longer read. */
export type Past = {
  /** Time of the first probe that is read. */
  readonly until: Time
  /** Time of the last judgement. What was confirmed up to then was published. */
  readonly judgedAt: Time
  /** Published changes, oldest first. */
  readonly changes: readonly Change[]
  /** The state before, if it is known. */
  readonly state: EndpointState | undefined
}

/** The past of an endpoint all of whose probes are read. */
export const NO_PAST: Past = { until: 0, judgedAt: 0, changes: [], state: undefined }

const timeOf = ({ at }: Change): Time => Date.parse(at)
const ofKind = ({ changes }: Past, ...kinds: readonly Change['kind'][]) =>
  changes.filter(({ kind }) => kinds.includes(kind))

/** Returns the status of an endpoint before its first probe that is read. */
export function statusBefore(past: Past): StatusBefore {
  const { state, until } = past
  const all = ofKind(past, 'service_gone_dark', 'service_recovered')
  const turn = all.findLast((change) => timeOf(change) < until)
  const wasLive = turn !== undefined || ofKind(past, 'new_service').length > 0 || state?.payTo != null
  const status = turn?.kind === 'service_gone_dark' ? (turn.after as 'dark' | 'invalid') : 'live'
  const within = (time: Time | null | undefined) => (time != null && time < until ? time : null)
  return {
    status: wasLive ? status : 'unmeasured',
    wasLive,
    darkSince: turn === undefined || status === 'live' ? null : (within(state?.darkSince) ?? timeOf(turn)),
    confirmedAt: within(state?.confirmedAt),
    turns: all
      .filter((change) => timeOf(change) >= until)
      .map((change) => ({ at: timeOf(change), after: change.after as Status })),
  }
}

/**
 * Returns the receivers that an endpoint named before its first probe that is read: those of the state before, and those
 * that the published changes name around that time.
 */
function receiversBefore(past: Past): ReceiversBefore {
  const { state, until } = past
  const swaps = ofKind(past, 'payto_swap')
  const last = swaps.findLast((change) => timeOf(change) < until)
  const later = swaps.filter((change) => timeOf(change) >= until)
  const changes = later.map((change) => ({ at: timeOf(change), addresses: change.after?.split(' ') ?? [] }))
  const periods = state?.payToHistory ?? []
  const period = periods.findLast(({ from }) => Date.parse(from) < until)
  const isNewest = period !== undefined && period === periods.at(-1)
  // While receivers rotate, terms show them all.
  const added = isNewest ? (state?.addedReceivers ?? []) : []
  const isAdded = ({ payTo }: { payTo: string }) => added.some((one) => one.payTo === normalAddress(payTo))
  const isSteady = isNewest && state?.flags.includes('payto_rotates') === false
  const named = isSteady ? state.terms.filter((term) => !isAdded(term)) : []
  const addresses = [
    ...[period, ...named].map((one) => one?.payTo),
    ...[last?.after, later[0]?.before].flatMap((names) => names?.split(' ')),
  ].filter((address) => address !== undefined)
  if (addresses.length === 0) return { changes }
  const first = period && { network: period.proof.chain, payTo: period.payTo }
  // Without terms, it was most likely paid in USDC.
  const asset = findNetwork(first?.network ?? '')?.usdc
  const guessed = first === undefined || asset === undefined ? [] : [{ ...first, asset, scheme: 'exact' }]
  const keys = groupBy(named.length > 0 ? named : guessed, offerKey)
  const receivers = [
    ['', [...new Set(addresses.map(normalAddress))]] as const,
    ...[...keys].map(([key, all]) => [key, all.map(({ payTo }) => normalAddress(payTo))] as const),
  ]
  const from = last !== undefined ? timeOf(last) : period === undefined ? until : Date.parse(period.from)
  const earlier = isNewest && state?.receiverStability === 'stable' ? LIMITS.stableProbes : 0
  return { epoch: { ...createEpoch(from, receivers, first), earlier, added }, changes }
}

/**
 * Splits probes by receiver, with the published changes of receiver before them. One that was confirmed long ago and never
 * published is an artefact of where the probes begin.
 */
export function readReceivers(
  { probes, past }: { readonly probes: readonly Observation[]; readonly past: Past },
  announcements: readonly Announcement[] = [],
): Receivers {
  const split = splitEpochs(probes, receiversBefore(past))
  const own = [...split.epochs]
  const published = ofKind(past, 'payto_swap')
  const isShown = (before: Epoch, after: Epoch) =>
    after.confirmedAt > past.judgedAt ||
    published.some((change) => timeOf(change) === after.from) ||
    isAnnounced(before, after, announcements)
  // A state records the first epoch.
  while (past.state === undefined && own[0] && own[1] && !isShown(own[0], own[1])) own.shift()
  const older = published.filter((change) => timeOf(change) < past.until)
  const earlier = older.map(({ before }, index): Epoch => {
    const began = older[index - 1]
    const receivers = (began?.after ?? before ?? '').split(' ')
    // Receivers are looked up on Base only.
    const paid = { network: BASE, payTo: receivers[0] ?? '' }
    const epoch = createEpoch(began === undefined ? 0 : timeOf(began), [['', receivers]], paid)
    return { ...epoch, ids: [began?.id ?? ''] }
  })
  return { ...split, epochs: [...earlier, ...own] }
}

/**
 * Puts published changes before those found in the probes that are read. Of these only new ones count, and changes of
 * receiver, which are not published while receivers rotate.
 */
export function joinChanges(
  past: Past,
  found: readonly { readonly change: Change; readonly confirmedAt: Time }[],
): Change[] {
  const published = new Set(past.changes.map(({ id }) => id))
  const isNew = ({ change, confirmedAt }: (typeof found)[number]) =>
    confirmedAt > past.judgedAt || (change.kind === 'payto_swap' && past.state !== undefined)
  const added = found.filter((one) => isNew(one) && !published.has(one.change.id))
  return [...past.changes, ...added.map(({ change }) => change)]
}

/** Returns the prices of the state before that were asked before the first probe that is read. */
export function pricesBefore({ state, until }: Past): readonly PricePeriod[] {
  return state?.priceHistory.filter(({ from }) => Date.parse(from) < until) ?? []
}
