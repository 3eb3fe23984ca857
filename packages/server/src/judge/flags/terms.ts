import type { Flag } from '@touchstone402/shared'
import type { Observation } from '../../facts/facts.ts'
import { fitOf } from '../conformance.ts'
import type { Evidence } from '../evidence.ts'
import type { Flicker } from '../flickers.ts'
import { addressesOf, mainOffer, signableOffers } from '../offers.ts'
import { days, hours, LIMITS } from '../spec.ts'
import { type FlagRule, PAST } from './flagRule.ts'
import { describeFollowed } from './followed.ts'
import { ifLatest, ofIds, ofRecords } from './grounds.ts'
import { AT_NEXT, cut, describeOffer, labelOf, on } from './words.ts'

/** Flags of terms that change, or contradict each other. */
export const TERMS = {
  payto_rotates: {
    meaning: 'The receiver changes from request to request, so it cannot be verified.',
    fix: 'Use one receiver, and announce changes; or sign every offer with one key, by the offer-receipt extension.',
    raise: ({ rotation, isSigned }) => (isSigned ? [] : ofIds(rotation)),
    describe({ observations, rotation }, ids) {
      const pair = ids.flatMap((id) => observations.find((observation) => observation.id === id) ?? [])
      const names = pair.map((observation) => cut(mainOffer(observation)?.payTo ?? '')).join(' and ')
      const last = observations.findLast(({ id }) => rotation?.includes(id))?.at ?? 0
      return `Two probes by one client within a minute named ${names || 'different receivers'}. Clears on ${on(last + LIMITS.rotationMemoryMs)}, if the receiver stays, or once one key has signed every offer of 30 days.`
    },
  },
  cloaked: {
    meaning: 'Different clients get different terms, or one gets another offer in front (confirmed).',
    fix: 'Return the same terms to every client.',
    raise: ({ cloaking }) => ofIds(cloaking),
    describe({ observations }, ids) {
      const four = ids.flatMap((id) => observations.find((observation) => observation.id === id) ?? [])
      const [one, other] = four.map(describeSeen)
      const two = `One client got ${one ?? 'other terms'}; another got ${other ?? 'others'}`
      return `${two}; each got the same again within an hour. Clears ${days(LIMITS.cloakMemoryMs)} after all clients get the same.`
    },
  },
  payto_changed: {
    meaning: 'The receiver changed without an announcement.',
    fix: 'Announce the new receiver in /.well-known/x402, signed by the old one.',
    raise: ({ swap, excuse }) => (excuse === null ? ofIds(swap?.after.ids) : []),
    describe: (evidence) =>
      `${describeSwap(evidence)} without an announcement. ${clearsOn(evidence, LIMITS.changedMs)}`,
    isPerFinding: true,
    needs: PAST,
  },
  receiver_handed_over: {
    meaning: `The receiver changed without an announcement, after both had been offered together for ${days(LIMITS.handedOverMs)} to ${days(LIMITS.togetherMs)}.`,
    fix: 'Announce the new receiver in /.well-known/x402, signed by the old one.',
    raise: ({ swap, excuse }) => (excuse === 'handed_over' ? ofIds(swap?.after.ids) : []),
    describe: (evidence) =>
      `${describeSwap(evidence)} without an announcement, after both had been offered for more than ${days(LIMITS.handedOverMs)}. ${clearsOn(evidence, LIMITS.changedMs)}`,
    isPerFinding: true,
    needs: PAST,
  },
  receiver_confirmed_by_host: {
    meaning: `The receiver changed; the owner of the host, who had claimed it by DNS before, confirmed the change, and it stayed for ${days(LIMITS.confirmedByHostMs)}. The old receiver did not announce it.`,
    fix: 'Announce the new receiver in /.well-known/x402, signed by the old one.',
    raise: ({ swap, excuse }) => (excuse === 'confirmed_by_host' ? ofIds(swap?.after.ids) : []),
    describe: (evidence) =>
      `${describeSwap(evidence)}, confirmed by the host's owner, not by the old receiver. ${clearsOn(evidence, LIMITS.changedMs)}`,
    isPerFinding: true,
    needs: PAST,
  },
  receiver_flickers: {
    meaning: `For a while, a receiver without an announcement was named among stable ones, within ${days(LIMITS.flickerMs)}.`,
    fix: 'Name one receiver in every answer, and announce changes, signed by the old receiver.',
    raise: ({ flickers }) => ofRecords(flickers.filter(({ isRepeated }) => !isRepeated)),
    describe: ({ flickers }) =>
      describeFlicker(
        flickers.find(({ isRepeated }) => !isRepeated),
        LIMITS.flickerMs,
      ),
    needs: PAST,
  },
  receiver_alternates: {
    meaning: `A receiver without an announcement was named among stable ones on two occasions, at least an hour apart, within ${days(LIMITS.flickerMemoryMs)}.`,
    fix: 'Name one receiver in every answer, and announce changes, signed by the old receiver.',
    raise: ({ flickers }) => ofRecords(flickers.filter(({ isRepeated }) => isRepeated)),
    describe: ({ flickers }) =>
      describeFlicker(
        flickers.find(({ isRepeated }) => isRepeated),
        LIMITS.flickerMemoryMs,
      ),
    needs: PAST,
  },
  terms_follow_input: {
    meaning:
      'The receiver or the price follows a value that the host declares, as two clients saw for the same two values. The signed terms are those of the usual input.',
    fix: 'Nothing, if buyers expect it, as where each creator is paid directly; else name one receiver and one price for every input.',
    raise: ({ followedInput }) => ofIds(followedInput?.ids),
    describe: ({ followedInput }) => (followedInput === null ? AT_NEXT : describeFollowed(followedInput)),
  },
  terms_disagree: {
    meaning: `Offers of equal network, asset and scheme name different receivers, or the v1 body and the v2 header different highest amounts; or some clients still get the terms of before a change, within ${hours(LIMITS.cacheLagMs)}, or one client alone got a price that was withdrawn, within ${days(LIMITS.cloakMemoryMs)}. Several amounts for one receiver are tiers.`,
    fix: 'Build both challenges from the same data, offer one receiver per network, asset and scheme, and keep 402 responses out of caches.',
    raise: (evidence) => [
      ...ifLatest(evidence, ({ disagreements }) => disagreements.length > 0),
      ...ofIds(evidence.cacheLag),
    ],
    describe({ latest, cacheLag }) {
      const [found] = latest.at(-1)?.disagreements ?? []
      if (found === undefined)
        return `Two clients got different terms within an hour, as a cache explains (probes ${(cacheLag ?? []).join(', ')}). Clears within ${days(LIMITS.cloakMemoryMs)}, if all get the same.`
      const values = found.values.slice(0, 3).map(cut).join(' and ') || 'more than 32 of them'
      const what = found.field === 'payTo' ? 'receivers' : 'highest amounts'
      return `Offers of one kind (${found.scheme} ${cut(found.asset)} on ${labelOf(found.network)}) name different ${what}: ${values}. ${AT_NEXT}`
    },
  },
  protocols_disagree: {
    meaning:
      'The 402 asks for different payments by two protocols, such as x402 and MPP: another price, or another receiver of the same token.',
    fix: 'Name one price, and one receiver per network and token, in every protocol of the 402.',
    raise: (evidence) => ifLatest(evidence, ({ problems }) => problems.includes('protocols_disagree')),
  },
  resource_mismatch: {
    meaning: 'The challenge is for a resource of another origin, so guards refuse to pay it.',
    fix: 'Name the URL that was requested as `resource` of the challenge, or let the named URL redirect to it.',
    raise: (evidence) => ifLatest(evidence, (probe) => fitOf(probe, evidence.endpoint) === 'foreign'),
    describe: ({ latest }) =>
      `The challenge is for ${cut(latest.at(-1)?.resourceOrigin ?? 'another origin')}, so guards refuse to pay it. ${AT_NEXT}`,
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

function describeSwap({ swap, epochs }: Evidence): string {
  const [before, after] = [swap?.before, swap?.after].map((side) =>
    side === undefined ? '' : [...addressesOf(side.receivers)].slice(0, 3).map(cut).join(', '),
  )
  return `The receiver changed from ${before} to ${after} on ${on(swap?.after.from ?? epochs.at(-1)?.from ?? 0)}`
}

function clearsOn({ swap, epochs }: Evidence, afterMs: number): string {
  const from = swap?.after.from ?? epochs.at(-1)?.from ?? 0
  return `Clears on ${on(from + afterMs)} if the receiver does not change again.`
}

function describeFlicker(flicker: Flicker | undefined, clearsAfterMs: number): string {
  const { payTo = 'another receiver', lastAt = 0, isRepeated = false } = flicker ?? {}
  const times = isRepeated ? 'more than once, the last time' : 'once,'
  return `Its answers named ${cut(payTo)} ${times} on ${on(lastAt)}, among others that named the usual receiver. Clears on ${on(lastAt + clearsAfterMs)}, if no probe sees it again.`
}

/** Clients are not named: the probes that are cited say who they were, once they are published whole. */
function describeSeen(observation: Observation): string {
  const [front] = signableOffers(observation)
  return front === undefined ? 'no terms' : `${front.amountAtomic} as ${describeOffer(front)}`
}
