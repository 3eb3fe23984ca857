import type { Observation, Time } from '../facts/facts.ts'
import { mainOffer, offerKey, receiverSets, receiversDiffer } from './offers.ts'
import { LIMITS } from './spec.ts'

/** Whether two probes differ in some respect. */
export type Differ = (a: Observation, b: Observation) => boolean

/** Whether two probes name different receivers. */
export const payeesDiffer: Differ = (a, b) => receiversDiffer(receiverSets(a), receiverSets(b))

const pricesDiffer: Differ = (a, b) => {
  const [first, second] = [mainOffer(a), mainOffer(b)]
  if (first === undefined || second === undefined) return first !== second
  return (
    a.disagreements.length > 0 !== b.disagreements.length > 0 ||
    first.amountAtomic !== second.amountAtomic ||
    first.unsafeFlow !== second.unsafeFlow ||
    offerKey(first) !== offerKey(second)
  )
}

/** Whether two probes show different receivers, amounts or ways to pay. */
export const termsDiffer: Differ = (a, b) => payeesDiffer(a, b) || pricesDiffer(a, b)

/** Finds the newest two probes by one client within a minute that name different receivers. */
export function findRotation(probes: readonly Observation[], now: Time): readonly Observation[] | null {
  return findQuickPair(probes, now, payeesDiffer)
}

/** Finds the newest two probes by one client within a minute that ask different amounts. */
export function findDynamicPrice(probes: readonly Observation[], now: Time): readonly Observation[] | null {
  return findQuickPair(probes, now, pricesDiffer)
}

function findQuickPair(
  probes: readonly Observation[],
  now: Time,
  differ: Differ,
): readonly Observation[] | null {
  for (let index = probes.length - 1; index > 0; index--) {
    const probe = probes[index]
    if (probe === undefined || probe.at < now - LIMITS.rotationMemoryMs) return null
    for (let before = index - 1; before >= 0; before--) {
      const earlier = probes[before]
      if (earlier === undefined || earlier.at < probe.at - LIMITS.rotationWithinMs) break
      if (earlier.client === probe.client && differ(earlier, probe)) return [earlier, probe]
    }
  }
  return null
}

/**
 * Returns the comparison that is meaningful for an endpoint: none if receivers rotate, receivers only if the price
 * changes per request, all terms otherwise.
 */
export function tellingDifference(probes: readonly Observation[], now: Time): Differ {
  if (findRotation(probes, now) !== null) return () => false
  return findDynamicPrice(probes, now) === null ? termsDiffer : payeesDiffer
}

/** Consecutive probes by one client at the same terms. */
type Run = { readonly client: string; readonly first: Observation; last: Observation }

/**
 * Finds the newest four probes that show cloaking: two clients see different terms and, asked again, each sees its own
 * terms once more. All four lie within an hour, since a price that follows the time of day shows the same pattern.
 * Right after a change they may be due to a cache, see {@link findCacheLag}.
 */
export function findCloaking(probes: readonly Observation[], now: Time): readonly Observation[] | null {
  const differ = tellingDifference(probes, now)
  const cloaking = findAlternations(probes, differ).find(
    ({ pair, found }) =>
      !mayBeCacheLag(pair, found, differ) && (isRecent(found, now) || stillDiffer(pair, differ)),
  )
  return cloaking?.found ?? null
}

/**
 * Finds four probes as {@link findCloaking} does where one client still sees the terms that both saw before a change.
 * Caches that distinguish clients answer so until they expire.
 */
export function findCacheLag(probes: readonly Observation[], now: Time): readonly Observation[] | null {
  const differ = tellingDifference(probes, now)
  const lag = findAlternations(probes, differ).find(
    ({ pair, found }) => mayBeCacheLag(pair, found, differ) && stillDiffer(pair, differ),
  )
  return lag?.found ?? null
}

type Alternation = { readonly pair: readonly Observation[]; readonly found: readonly Observation[] }

function findAlternations(probes: readonly Observation[], differ: Differ): Alternation[] {
  const clients = [...new Set(probes.map(({ client }) => client))]
  return clients.flatMap((a, index) =>
    clients.slice(index + 1).flatMap((b) => {
      const pair = probes.filter(({ client }) => client === a || client === b)
      const found = findAlternation(toRuns(pair, differ), differ)
      return found === null ? [] : [{ pair, found }]
    }),
  )
}

/** Whether the newer terms of an alternation first appeared within hours before, to a client that had seen the older ones. */
function mayBeCacheLag(pair: readonly Observation[], found: readonly Observation[], differ: Differ): boolean {
  const end = found.at(-1)?.at ?? 0
  const sides = found.slice(0, 2).map((side) => pair.filter((probe) => !differ(probe, side)))
  const [older = [], newer = []] = sides.toSorted((a, b) => (a[0]?.at ?? 0) - (b[0]?.at ?? 0))
  const changed = newer[0]
  if (changed === undefined || end - changed.at >= LIMITS.cacheLagMs) return false
  return older.some(({ client, at }) => client === changed.client && at < changed.at)
}

const isRecent = (found: readonly Observation[], now: Time) =>
  (found.at(-1)?.at ?? 0) >= now - LIMITS.cloakMemoryMs

/** Whether the latest probes of the two clients differ. Cloaking does not expire while they do. */
function stillDiffer(pair: readonly Observation[], differ: Differ): boolean {
  const last = pair.at(-1)
  const other = pair.findLast(({ client }) => client !== last?.client)
  return last !== undefined && other !== undefined && differ(last, other)
}

function toRuns(probes: readonly Observation[], differ: Differ): Run[] {
  const runs: Run[] = []
  for (const probe of probes) {
    const run = runs.at(-1)
    if (run === undefined || run.client !== probe.client || differ(run.last, probe)) {
      runs.push({ client: probe.client, first: probe, last: probe })
    } else run.last = probe
  }
  return runs
}

function findAlternation(runs: readonly Run[], differ: Differ): readonly Observation[] | null {
  for (let end = runs.length; end >= 4; end--) {
    const [first, second, third, fourth] = runs.slice(end - 4, end)
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) break
    if (
      first.client === third.client &&
      second.client === fourth.client &&
      first.client !== second.client &&
      fourth.first.at - first.last.at <= LIMITS.cloakWithinMs &&
      !differ(first.last, third.first) &&
      !differ(second.last, fourth.first) &&
      differ(first.last, second.first)
    ) {
      return [first.last, second.first, third.first, fourth.first]
    }
  }
  return null
}

/** Whether the last probe differs from another client's last probe and the cause is still open. */
export function hasOpenDifference(probes: readonly Observation[], now: Time): boolean {
  const last = probes.at(-1)
  if (last === undefined) return false
  const others = new Map(
    probes.filter(({ client }) => client !== last.client).map((probe) => [probe.client, probe]),
  )
  if (![...others.values()].some((other) => termsDiffer(last, other))) return false
  const differ = tellingDifference(probes, now)
  return [...others.values()].some((other) => differ(last, other))
}
