import { hasTerms, isOwnFault, type Observation } from '../../facts/facts.ts'
import { categoryOf, type Evidence, gatherEvidence, type JudgeInput } from '../evidence.ts'
import { type Judgement, judgeEvidence } from '../judge.ts'
import { NOTHING_CARRIED } from '../memory/carried.ts'
import { type Epoch, findSwap, type Paid } from '../memory/epochs.ts'
import { keepLooks, limitLook } from '../memory/looks.ts'
import { mainOffer, normalAddress } from '../offers.ts'
import { LIMITS } from '../spec.ts'
import { findCacheLag, findCloaking, findDynamicPrice, findRotation } from './plainClients.ts'
import { type PlainEpoch, splitEpochs } from './plainEpochs.ts'
import { findBait, findPriceJumps, splitPrices } from './plainPrices.ts'
import { findRefusals, settleRefusals } from './plainRefusals.ts'
import { plainNextProbeAt } from './plainSchedule.ts'
import { trackStatus } from './plainStatus.ts'
import { lowestUptime, measureUptime } from './plainUptime.ts'

/** All looks at an endpoint in place of what is carried. */
export type PlainInput = Omit<JudgeInput, 'carried'> & { readonly observations: readonly Observation[] }

/** Judges an endpoint by passing over all its looks: what carried judgements are compared with. */
export function plainJudge(input: PlainInput): Judgement {
  const evidence = gatherPlainly(input)
  const { observations, ...judged } = { ...evidence, observations: settle(input.observations) }
  const judgement = judgeEvidence(judged)
  const { state, changes } = judgement
  const nextProbeAt = plainNextProbeAt({
    observations,
    track: judged.track,
    now: input.now,
    random: input.random,
    firstSeen: state.firstSeen,
    lastChangeAt: changes.length === 0 ? null : Math.max(...changes.map(({ at }) => Date.parse(at))),
    differenceExplained: state.flags.includes('cloaked'),
    isSwapPending: state.receiverUnconfirmed,
    isFlaky: state.flags.includes('flaky'),
  })
  return { ...judgement, state: { ...state, nextProbeAt } }
}

const settle = (observations: readonly Observation[]) => settleRefusals(observations.map(limitLook))
const idsOf = (probes: readonly Observation[]) => probes.map(({ id }) => id)

function gatherPlainly({ observations: given, ...input }: PlainInput): Evidence {
  const { now, announcements } = input
  const observations = settle(given)
  const probes = observations.filter(hasTerms)
  const rotation = findRotation(probes, now)
  const { epochs: split, pending } = splitEpochs(probes)
  const epochs = split.map(toEpoch)
  const epoch = split.at(-1)
  const current = epoch === undefined || rotation !== null ? probes : epoch.probes
  const shown = current.at(-1)
  const offer = shown === undefined ? undefined : mainOffer(shown)
  const records = offer === undefined || rotation !== null ? [] : input.recordsOf(offer.network, offer.payTo)
  const empty = gatherEvidence({ ...input, carried: NOTHING_CARRIED })
  const bait = findBait(probes, empty.latestListings, findDynamicPrice(probes, now) !== null)
  const refusals = findRefusals(observations)
  const category = categoryOf(input.listings)
  return {
    ...empty,
    looks: looksOf(observations, probes),
    latest: probes.slice(-2),
    track: trackStatus(observations),
    refusals: { count: refusals.length, ids: idsOf(refusals.slice(-LIMITS.refusedLooks)) },
    epochs,
    // Of very many the first and the last twelve are named.
    pending: idsOf(pending.length > 24 ? [...pending.slice(0, 12), ...pending.slice(-12)] : pending),
    prices: splitPrices(probes),
    priceJumps: findPriceJumps(probes),
    rotation: rotation === null ? null : idsOf(rotation),
    cloaking: rotation === null ? (findCloaking(probes, now)?.map(({ id }) => id) ?? null) : null,
    cacheLag: rotation === null ? (findCacheLag(probes, now)?.map(({ id }) => id) ?? null) : null,
    swap: rotation === null ? findSwap(epochs, announcements, now) : null,
    bait: baitOf(bait),
    current: keepLooks(current),
    assets: probes.flatMap(({ offers }) => offers),
    payTos: (epoch?.probes ?? []).flatMap(({ offers }) => offers.map(({ payTo }) => normalAddress(payTo))),
    receiver: records.findLast(({ at }) => at > now - LIMITS.receiverRecordMs),
    uptime: measureUptime(observations, now),
    lowestUptime: lowestUptime(observations, now),
    category,
    comparable: input.categoryPrice(category),
  }
}

function looksOf(observations: readonly Observation[], probes: readonly Observation[]): Evidence['looks'] {
  const last = observations.at(-1)
  const measured = observations.filter(({ outcome }) => outcome !== 'not_measured').slice(-2)
  return {
    ...gatherLooks(observations),
    last:
      last === undefined
        ? null
        : {
            id: last.id,
            at: last.at,
            outcome: last.outcome,
            isOwnFault: isOwnFault(last),
            problems: last.problems,
          },
    measured: measured.map(({ id, offers, problems }) => ({
      id,
      isMalformed: offers.length === 0 && problems.includes('payto_malformed'),
    })),
    startedAt: probes[0]?.at ?? null,
    probes: probes.slice(-5),
  }
}

function gatherLooks(observations: readonly Observation[]) {
  const refused = observations.filter(({ cause }) => cause === 'input_needed')
  return {
    firstAt: observations[0]?.at ?? 0,
    downs: idsOf(observations.filter(({ outcome }) => outcome === 'down').slice(-3)),
    refusedMethods: refused.map(({ method }) => method),
    // Only the schedule and the prober read the others.
    worked: null,
    ups: 0,
    sinceUp: null,
    recentUps: [],
    unanswered: 0,
    clients: [],
    asked: null,
  }
}

function paidOf(probe: Observation | undefined): Paid | null {
  const offer = probe === undefined ? undefined : mainOffer(probe)
  return offer === undefined ? null : { network: offer.network, payTo: offer.payTo }
}

function toEpoch({ from, probes, receivers }: PlainEpoch): Epoch {
  return {
    from,
    receivers,
    first: paidOf(probes[0]),
    last: paidOf(probes.at(-1)),
    ids: idsOf(probes.slice(0, 2)),
    count: probes.length,
    lastAt: probes.at(-1)?.at ?? 0,
  }
}

function baitOf(bait: ReturnType<typeof findBait>): Evidence['bait'] {
  const first = bait?.probes[0]
  const last = bait?.probes.at(-1)
  if (bait === null || first === undefined || last === undefined) return null
  const { listing, claimUsd, askedUsd } = bait
  return { first: { id: first.id, at: first.at, paid: paidOf(first) }, last, listing, claimUsd, askedUsd }
}
