import { type Announcement, hasTerms, type Observation, type Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import { isAnnounced } from '../judge/announced.ts'
import { addProbes, type History } from '../judge/history.ts'
import { byReceiver, listNamedReceivers, receiverSets, signableOffers } from '../judge/offers.ts'
import { readReceivers } from '../judge/past.ts'
import { listSwaps, type Swap } from '../judge/swaps.ts'
import { untilAborted } from '../lib/untilAborted.ts'
import { askDeclared } from './askDeclared.ts'
import { type Ask, askControl, askEndpoint, omittedProbe } from './askEndpoint.ts'
import { askOtherInput } from './askOtherInput.ts'
import { askResource } from './askResource.ts'
import type { AuditContext } from './auditContext.ts'
import { describeTarget, type Target } from './describeTarget.ts'
import { patienceFor, startProbe } from './patience.ts'
import type { RefreshOptions } from './profileReceiver.ts'
import { readAnnouncements, type SwapSide } from './readAnnouncement.ts'
import type { Known } from './readEndpoint.ts'
import { type Permission, readPermission } from './readOptOut.ts'
import { readReceiverProof } from './readReceiverProof.ts'
import { repeatOnDifference } from './repeatOnDifference.ts'
import { settleFreeQuota } from './settleFreeQuota.ts'
import { settleUnread } from './settleUnread.ts'

/** Probes of an endpoint, and announcements of a changed receiver. */
export type Findings = {
  /** In the order of the store. */
  readonly observations: readonly Observation[]
  readonly announcements: readonly Announcement[]
  /** The history of the endpoint with these probes. */
  readonly history: History
}

/** Time for all probes of a live check in milliseconds, in which one may take as long as a scheduled one. */
const LIVE_PROBES_MS = 33_000
/** Timeout of the opt-out documents of a live check, in milliseconds. */
const LIVE_DOCUMENT_MS = 2000
/**
 * Time from the start of a live check in milliseconds after which its receivers are no longer read from chain: callers
 * wait at most 45 s, even if the endpoint hangs.
 */
const LIVE_CHAIN_MS = 39_000

/** Makes one scheduled probe as one client, repeated at once if the terms differ from before. */
export async function probeOnSchedule(
  audit: AuditContext,
  known: Known,
  signal?: AbortSignal,
): Promise<Findings> {
  const { clients, clock } = audit
  const { endpoint, facts, host, history: before } = known
  const { observations: stored, before: state } = before.stored
  const target = describeTarget(endpoint, facts.listings, lastSuccess(before))
  const permission = await readPermission(audit, endpoint)
  const gap = drawnGap(before)
  if (permission !== 'granted') return omit(audit, known, target, 'scheduled', permission, gap)
  const isCloaked = state?.flags.includes('cloaked') === true
  const isDoubtful = state?.degraded === true || (!isCloaked && before.comparison.isOpen)
  const asked = clientsOf(before)
  const client = isDoubtful ? clients.follow(asked) : clients.draw(asked)
  const purpose = isDoubtful ? 'confirm' : 'scheduled'
  const mayStart = startProbe()
  const how: Ask = { ...target, client, purpose, signal, mayStart }
  const answered = await askEndpoint(audit, { ...how, deadlineMs: patienceFor(stored) })
  const isKnown = before.probes.length > 0 || target.declaresInput
  const first = isKnown ? await askDeclared(audit, how, answered) : answered
  clients.learn(client, first)
  const observations = [{ ...first, ...gap }]
  if (hasTerms(first)) {
    const again = async () => (mayStart() ? askEndpoint(audit, { ...how, purpose: 'confirm' }) : undefined)
    observations.push(...(await repeatOnDifference(before, first, again)))
    if (!isDoubtful && observations.length === 1 && mayStart())
      observations.push(...(await askOtherInput(audit, how, first, asked)))
    const { control } = host
    if (mayStart() && (control === undefined || clock.now() - control.at > DAY))
      observations.push(await askControl(audit, endpoint, { signal }))
  }
  const settled = await settleFreeQuota(audit, known, observations, () =>
    askControl(audit, endpoint, { signal }),
  )
  const finished = await settleUnread(
    settled,
    isFirst(before) ? () => audit.readDeclared(new URL(endpoint).origin) : null,
  )
  return follow(audit, known, before, finished)
}

/**
 * Makes a live check: probes as three clients in parallel, makes a control probe, and reads the receiver from chain.
 * @param check is called with each probe, and may throw
 */
export async function probeLive(
  audit: AuditContext,
  known: Known,
  { signal, check }: { signal: AbortSignal | undefined; check: (probe: Observation) => void },
): Promise<Findings> {
  const { clients, clock } = audit
  const { endpoint, facts, history: before } = known
  const target = describeTarget(endpoint, facts.listings, lastSuccess(before))
  const deadlineAt = clock.now() + LIVE_CHAIN_MS
  const late = AbortSignal.timeout(LIVE_DOCUMENT_MS)
  const permission = await readPermission(audit, endpoint, anyOf(signal, late))
  // A host that takes longer for its documents declines nothing by them.
  if (permission !== 'granted' && !(permission === 'own_fault' && late.aborted))
    return omit(audit, known, target, 'live', permission)
  // A probe that began late is cut off by the common limit and measures nothing; one that hangs times out before.
  const limits = { signal: withTimeLimit(signal, LIVE_PROBES_MS), mayStart: startProbe() }
  const control = askControl(audit, endpoint, limits)
  const documents = isFirst(before) ? readInTime(audit, endpoint, limits.signal) : null
  const asked = await Promise.all(
    clients.drawLive(clientsOf(before)).map(async (client) => {
      const first = await askEndpoint(audit, { ...target, ...limits, client, purpose: 'live' })
      check(first)
      clients.learn(client, first)
      if (!hasTerms(first)) return [first]
      const again = async () =>
        limits.mayStart() ? askEndpoint(audit, { ...target, ...limits, client, purpose: 'live' }) : undefined
      return [first, ...(await repeatOnDifference(before, first, again))]
    }),
  )
  const made = await control
  const settled = await settleFreeQuota(audit, known, [...asked.flat(), made], async () => made)
  const observations = await settleUnread(settled, documents && (() => documents))
  return follow(audit, known, before, observations, { force: true, signal, deadlineAt })
}

/** Returns the gap that was drawn before a scheduled probe. Live checks are no part of the schedule. */
function drawnGap({ stored: { observations, before } }: History): Pick<Observation, 'gapMs'> {
  const last = observations.findLast(({ purpose }) => purpose !== 'live' && purpose !== 'control')
  if (before === undefined || last === undefined) return {}
  return { gapMs: Math.max(0, Math.round(before.nextProbeAt - last.at)) }
}

/** Whether no probe ever returned terms, so that no audit of the endpoint is finished. */
const isFirst = ({ probes, past }: History) => probes.length === 0 && past.state === undefined

/** Reads what the host declares now. Takes no longer than the live check. */
function readInTime({ readDeclared }: AuditContext, endpoint: string, signal: AbortSignal) {
  const rows = readDeclared(new URL(endpoint).origin)
  return Promise.race([rows, untilAborted(signal).catch(() => 'own_fault' as const)])
}

function omit(
  audit: AuditContext,
  known: Known,
  target: Target,
  purpose: Observation['purpose'],
  cause: Exclude<Permission, 'granted'>,
  gap: Pick<Observation, 'gapMs'> = {},
): Findings {
  const omitted = { ...omittedProbe(audit, target, purpose, cause), ...gap }
  return { ...addFound(known, [omitted], audit.clock.now()), announcements: [] }
}

/** Adds new probes to those that are known. */
function addFound({ history }: Known, found: readonly Observation[], now: Time) {
  const observations = orderObservations(found, history.stored.observations.at(-1)?.at ?? 0)
  return { observations, history: addProbes(history, observations, now) }
}

const lastSuccess = ({ observations }: History) => observations.findLast(({ outcome }) => outcome === 'up')

const lastAsked = ({ probes }: History) => probes.findLast(({ resourceAsked }) => resourceAsked !== undefined)

/** Lists the client identities that probed an endpoint, the one that has waited longest first. */
const clientsOf = ({ observations }: History): readonly string[] =>
  [...new Set(observations.toReversed().map(({ client }) => client))].reverse()

const withTimeLimit = (signal: AbortSignal | undefined, ms: number) => anyOf(signal, AbortSignal.timeout(ms))

const anyOf = (signal: AbortSignal | undefined, limit: AbortSignal) =>
  signal === undefined ? limit : AbortSignal.any([signal, limit])

/** Maximum number of receivers of one probe whose proofs are read. */
const MAX_PROVEN = 4

/** Looks up the receivers and the resource that were seen last, and the announcement of a changed one. */
async function follow(
  audit: AuditContext,
  known: Known,
  before: History,
  made: readonly Observation[],
  options?: RefreshOptions,
): Promise<Findings> {
  const { clock, receivers: profiler } = audit
  const { endpoint, host } = known
  const last = made.findLast(hasTerms)
  const named = last === undefined ? [] : listNamedReceivers(last)
  const limit = options && withTimeLimit(options.signal, LIVE_DOCUMENT_MS)
  const [asked] = await Promise.all([
    askResource(audit, lastAsked(before), made, limit),
    ...named.map(({ network, payTo }) => profiler.refresh(network, payTo, options)),
  ])
  const now = clock.now()
  const found = addFound(known, asked, now)
  const swap = findUnannounced(found.history, host.announcements, now)
  const receivers = last === undefined ? [] : byReceiver(signableOffers(last))
  const proofs: Announcement[] = []
  for (const offer of receivers.slice(0, MAX_PROVEN))
    proofs.push(...(await readReceiverProof(audit, endpoint, offer, host.announcements)))
  const changes = swap === null ? [] : await readAnnouncements(audit, { endpoint, ...swap })
  return { ...found, announcements: [...changes, ...proofs] }
}

/**
 * Orders probes as the store does: those of one live check are made in parallel, and a clock may be set back.
 * @param lastAt time of the last probe before; none counts as earlier
 */
function orderObservations(observations: readonly Observation[], lastAt: Time): readonly Observation[] {
  return observations
    .map((observation) => (observation.at < lastAt ? { ...observation, at: lastAt } : observation))
    .sort((a, b) => a.at - b.at)
}

/** Finds an unannounced change of receiver, whether confirmed or not, or receivers that were added beside the known ones. */
function findUnannounced(
  history: History,
  known: readonly Announcement[],
  now: number,
): Swap<SwapSide> | null {
  if (history.comparison.rotation !== null) return null
  const { epochs, pending } = readReceivers(history, known)
  const before = epochs.at(-1)
  const first = pending[0]
  if (before === undefined) return null
  if (first !== undefined)
    return ifUnannounced(before, { from: first.at, receivers: receiverSets(first) }, known)
  const [swap = null] = listSwaps(epochs, known, now)
  const [added] = before.added
  const last = history.probes.at(-1)
  if (swap !== null || added === undefined || last === undefined) return swap
  return ifUnannounced(before, { from: added.from, receivers: receiverSets(last) }, known)
}

const ifUnannounced = (before: SwapSide, after: SwapSide, known: readonly Announcement[]) =>
  isAnnounced(before, after, known) ? null : { before, after }
