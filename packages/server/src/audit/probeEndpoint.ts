import { type Announcement, hasTerms, type Observation } from '../domain/facts/facts.ts'
import { DAY } from '../domain/facts/times.ts'
import { recall, rememberAll } from '../domain/judge/memory/carried.ts'
import { hasOpenDifference } from '../domain/judge/memory/clients.ts'
import { findSwap, isAnnounced, type Swap } from '../domain/judge/memory/epochs.ts'
import type { Memory } from '../domain/judge/memory/memory.ts'
import { findRotation } from '../domain/judge/memory/quickPairs.ts'
import { listNamedReceivers } from '../domain/judge/namedReceivers.ts'
import { askDeclared, type DeclaredDeps } from './askDeclared.ts'
import { askControl, askEndpoint, declinedProbe, describeTarget } from './askEndpoint.ts'
import { askResource } from './askResource.ts'
import type { ClientChoice } from './chooseClient.ts'
import { orderLooks } from './orderLooks.ts'
import type { ReceiverProfiler, RefreshOptions } from './profileReceiver.ts'
import type { AnnouncementReader, SwapSide } from './readAnnouncement.ts'
import type { Known } from './readEndpoint.ts'
import type { OptOutReader } from './readOptOut.ts'
import type { ReceiverProofReader } from './readReceiverProof.ts'
import { repeatOnDifference } from './repeatOnDifference.ts'

export type ProbeDeps = DeclaredDeps & {
  readonly profiler: ReceiverProfiler
  readonly announcements: AnnouncementReader
  readonly optOut: OptOutReader
  /** @default none: no receiver is proven */
  readonly receiverProofs?: ReceiverProofReader
  readonly clients: ClientChoice
}

/** Probes of an endpoint, and announcements of a changed receiver. */
export type Findings = {
  readonly observations: readonly Observation[]
  readonly announcements: readonly Announcement[]
}

/** Timeout of live probes in milliseconds: callers wait at most 10 s, even if the endpoint hangs. */
const LIVE_DEADLINE_MS = 5000
/** Timeout of the opt-out documents of a live check, in milliseconds. */
const LIVE_DOCUMENT_MS = 2000
/** Time from the start of a live check in milliseconds after which its receivers are no longer read from chain. */
const LIVE_CHAIN_MS = 7000

/** Makes one scheduled probe as one client, repeated at once if the terms differ from before. */
export async function probeOnSchedule(deps: ProbeDeps, known: Known): Promise<Findings> {
  const { clients, clock, optOut } = deps
  const { endpoint, state, facts, host } = known
  const before = recall(known.carried)
  const { looks } = before
  const target = describeTarget(endpoint, facts.listings, looks.worked)
  if (await optOut.isOptedOut(endpoint))
    return { observations: [declinedProbe(deps, target, 'scheduled')], announcements: [] }
  const now = clock.now()
  const isCloaked = state?.flags.includes('cloaked') === true
  const isDoubtful = state?.degraded === true || (!isCloaked && hasOpenDifference(before.clients, now))
  const client = clients.choose(looks.clients)
  const ask = (purpose: Observation['purpose']) => askEndpoint(deps, { ...target, client, purpose })
  const purpose = isDoubtful ? 'confirm' : 'scheduled'
  const answered = await ask(purpose)
  const isKnown = looks.startedAt !== null || target.declaresInput
  const first = isKnown ? await askDeclared(deps, { ...target, client, purpose }, answered) : answered
  clients.learn(client, first)
  const observations = [first]
  if (hasTerms(first)) {
    observations.push(...(await repeatOnDifference(clock, before, first, () => ask('confirm'))))
    const { control } = host
    if (control === undefined || now - control.at > DAY) observations.push(await askControl(deps, endpoint))
  }
  return follow(deps, known, before, observations)
}

/**
 * Makes a live check: probes as every client in parallel, makes a control probe, and reads the receiver from chain.
 * @param check is called with each probe, and may throw
 */
export async function probeLive(
  deps: ProbeDeps,
  known: Known,
  { signal, check }: { signal: AbortSignal | undefined; check: (probe: Observation) => void },
): Promise<Findings> {
  const { clients, clock, optOut, prober } = deps
  const { endpoint, facts } = known
  const before = recall(known.carried)
  const target = describeTarget(endpoint, facts.listings, before.looks.worked)
  const deadlineAt = clock.now() + LIVE_CHAIN_MS
  const hasDeclined = await optOut.isOptedOut(endpoint, withTimeLimit(signal, LIVE_DOCUMENT_MS))
  if (hasDeclined) return { observations: [declinedProbe(deps, target, 'live')], announcements: [] }
  const limits = { signal, deadlineMs: LIVE_DEADLINE_MS }
  // All repeats share one time limit, so that they take no longer than a single probe that hangs.
  const repeatLimits = { ...limits, signal: withTimeLimit(signal, LIVE_DEADLINE_MS) }
  const control = askControl(deps, endpoint, limits)
  const asked = await Promise.all(
    Array.from({ length: prober.clients }, async (_, client) => {
      const first = await askEndpoint(deps, { ...target, ...limits, client, purpose: 'live' })
      check(first)
      clients.learn(client, first)
      if (!hasTerms(first)) return [first]
      const again = () => askEndpoint(deps, { ...target, ...repeatLimits, client, purpose: 'live' })
      return [first, ...(await repeatOnDifference(clock, before, first, again))]
    }),
  )
  const observations = [...asked.flat(), await control]
  return follow(deps, known, before, observations, { force: true, signal, deadlineAt })
}

function withTimeLimit(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const limit = AbortSignal.timeout(ms)
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}

/** Looks up the receivers and the resource that were seen last, and the announcement of a changed one. */
async function follow(
  deps: ProbeDeps,
  { endpoint, carried, host }: Known,
  before: Memory,
  found: readonly Observation[],
  options?: RefreshOptions,
): Promise<Findings> {
  const { profiler, announcements, receiverProofs, clock } = deps
  const last = found.findLast(hasTerms)
  const named = last === undefined ? [] : listNamedReceivers(last)
  const limit = options && withTimeLimit(options.signal, LIVE_DOCUMENT_MS)
  const [observations] = await Promise.all([
    askResource(deps, before.looks.asked, found, limit),
    ...named.map(({ network, payTo }) => profiler.refresh(network, payTo, options)),
  ])
  const after = rememberAll(before, orderLooks(observations, carried.lastAt)).memory
  const swap = findUnannounced(after, host.announcements, clock.now())
  const [main] = named
  const proofs = main && (await receiverProofs?.read(endpoint, main, host.announcements))
  const changes = swap === null ? [] : await announcements.read({ endpoint, ...swap })
  return { observations, announcements: [...changes, ...(proofs ?? [])] }
}

/** Finds an unannounced change of receiver, whether confirmed or not. */
function findUnannounced(
  { clients, epochs: { epochs, pending } }: Memory,
  known: readonly Announcement[],
  now: number,
): Swap<SwapSide> | null {
  if (findRotation(clients.quick, now) !== null) return null
  const before = epochs.at(-1)
  const first = pending[0]
  if (before === undefined || first === undefined) return findSwap(epochs, known, now)
  const after = { from: first.at, receivers: first.receivers }
  return isAnnounced(before, after, known) ? null : { before, after }
}
