import type { Announcement, Observation } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { DAY } from '../domain/facts/times.ts'
import { findRotation, hasOpenDifference } from '../domain/judge/clients.ts'
import { type Epoch, isAnnounced, splitEpochs } from '../domain/judge/epochs.ts'
import { findSwap } from '../domain/judge/flags.ts'
import { mainOffer, receiverSets } from '../domain/judge/offers.ts'
import type { HostFacts } from '../ports/store.ts'
import { type AskDeps, askControl, askEndpoint, declinedLook, describeTarget } from './askEndpoint.ts'
import type { ClientChoice } from './chooseClient.ts'
import type { ReceiverProfiler } from './profileReceiver.ts'
import type { AnnouncementReader } from './readAnnouncement.ts'
import type { OptOutReader } from './readOptOut.ts'
import { repeatStrange } from './repeatStrange.ts'

export type LookDeps = AskDeps & {
  readonly profiler: ReceiverProfiler
  readonly announcements: AnnouncementReader
  readonly optOut: OptOutReader
  readonly clients: ClientChoice
}

/** What was seen, and what the old receiver had to say about a new one. */
export type Findings = {
  readonly observations: readonly Observation[]
  readonly announcements: readonly Announcement[]
}

/** One look as one identity, repeated at once where the terms are others than before. */
export async function makeScheduledLooks(
  deps: LookDeps,
  endpoint: string,
  facts: HostFacts,
  state: EndpointState | undefined,
): Promise<Findings> {
  const target = describeTarget(endpoint, facts)
  if (await deps.optOut.isOptedOut(endpoint))
    return { observations: [declinedLook(deps, target, 'scheduled')], announcements: [] }
  const own = facts.observations.filter((look) => look.endpoint === endpoint)
  const before = own.filter(isSuccess)
  const now = deps.clock.now()
  const isCloaked = state?.flags.includes('cloaked') === true
  const isDoubtful = state?.degraded === true || (!isCloaked && hasOpenDifference(before, now))
  const client = deps.clients.choose(own)
  const ask = (purpose: Observation['purpose']) => askEndpoint(deps, { ...target, client, purpose })
  const first = await ask(isDoubtful ? 'confirm' : 'scheduled')
  deps.clients.learn(client, first)
  const observations = [first]
  if (isSuccess(first)) {
    observations.push(...(await repeatStrange(deps, before, first, () => ask('confirm'))))
    const control = facts.observations.findLast((look) => look.purpose === 'control')
    if (control === undefined || now - control.at > DAY) observations.push(await askControl(deps, endpoint))
  }
  await profile(deps, observations)
  const looks = [...before, ...observations.filter(isSuccess)]
  return { observations, announcements: await readAnnouncements(deps, endpoint, looks, facts.announcements) }
}

const isSuccess = ({ purpose, outcome, offers }: Observation) =>
  purpose !== 'control' && outcome === 'up' && offers.length > 0

/** A payer waits 10 s for an answer, and is owed one about an endpoint that hangs too. */
const LIVE_DEADLINE_MS = 5000
/** For the documents in which a host may decline. */
const LIVE_DOCUMENT_MS = 2000

function withTimeLimit(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const limit = AbortSignal.timeout(ms)
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}

/**
 * A thorough look: every identity side by side, a control request, and the receiver read from chain.
 * @param check sees each look, and may throw
 */
export async function makeLiveLooks(
  deps: LookDeps,
  endpoint: string,
  facts: HostFacts,
  { signal, check }: { signal: AbortSignal | undefined; check: (look: Observation) => void },
): Promise<Findings> {
  const target = describeTarget(endpoint, facts)
  const hasDeclined = deps.optOut.isOptedOut(endpoint, withTimeLimit(signal, LIVE_DOCUMENT_MS))
  if (await hasDeclined) return { observations: [declinedLook(deps, target, 'live')], announcements: [] }
  const before = facts.observations.filter((look) => look.endpoint === endpoint && isSuccess(look))
  const limits = { signal, deadlineMs: LIVE_DEADLINE_MS }
  // However many looks a strange answer takes, they end when one look at an endpoint that hangs would.
  const repeatLimits = { ...limits, signal: withTimeLimit(signal, LIVE_DEADLINE_MS) }
  const control = askControl(deps, endpoint, limits)
  const asked = await Promise.all(
    Array.from({ length: deps.prober.clients }, async (_, client) => {
      const look = await askEndpoint(deps, { ...target, ...limits, client, purpose: 'live' })
      check(look)
      deps.clients.learn(client, look)
      if (!isSuccess(look)) return [look]
      const again = () => askEndpoint(deps, { ...target, ...repeatLimits, client, purpose: 'live' })
      return [look, ...(await repeatStrange(deps, before, look, again))]
    }),
  )
  const observations = [...asked.flat(), await control]
  await profile(deps, observations, { force: true, ...(signal && { signal }) })
  const looks = [...before, ...observations.filter(isSuccess)]
  return { observations, announcements: await readAnnouncements(deps, endpoint, looks, facts.announcements) }
}

async function profile(
  { profiler }: LookDeps,
  observations: readonly Observation[],
  options?: { force?: boolean; signal?: AbortSignal },
): Promise<void> {
  const look = observations.findLast(isSuccess)
  const offer = look === undefined ? undefined : mainOffer(look)
  if (offer !== undefined) await profiler.refresh(offer.network, offer.payTo, options)
}

async function readAnnouncements(
  deps: LookDeps,
  endpoint: string,
  looks: readonly Observation[],
  known: readonly Announcement[],
): Promise<Announcement[]> {
  const swap = findUnannounced(looks, known, deps.clock.now())
  return swap === null ? [] : deps.announcements.read({ endpoint, ...swap })
}

/** A change of receiver that nobody has announced: one that awaits its confirmation, or one that stands. */
function findUnannounced(
  looks: readonly Observation[],
  known: readonly Announcement[],
  now: number,
): { before: Epoch; after: Epoch } | null {
  if (findRotation(looks, now) !== null) return null
  const { epochs, pending } = splitEpochs(looks)
  const before = epochs.at(-1)
  const first = pending[0]
  if (before === undefined || first === undefined) return findSwap(epochs, known, now)
  const after = { from: first.at, looks: pending, receivers: receiverSets(first) }
  return isAnnounced(before, after, known) ? null : { before, after }
}
