import type { Observation, Time } from '../../facts/facts.ts'
import { addSighting, BY_PAYEES, BY_TERMS, mayBeOld, NO_SIGHTINGS } from '../memory/sightings.ts'
import { toSeen } from '../memory/terms.ts'
import { mainOffer, offerKey, receiverSets, receiversDiffer } from '../offers.ts'
import { LIMITS } from '../spec.ts'

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
 * Right after a change they may be due to a cache, see {@link findCacheLag}; a receiver that is withdrawn before all
 * clients saw it is not.
 */
export function findCloaking(probes: readonly Observation[], now: Time): readonly Observation[] | null {
  const differ = tellingDifference(probes, now)
  const cloaking = findAlternations(probes, differ).find(({ pair, found }) => {
    if (!isRecent(found, now) && !stillDiffer(pair, differ)) return false
    const lag = findLag(probes, pair, found, differ)
    return lag === null || (lag === 'withdrawn' && ofReceivers(found))
  })
  return cloaking?.found ?? null
}

/**
 * Finds four probes as {@link findCloaking} does where one client still sees the terms that both saw before a change,
 * or did until a new price was withdrawn. Caches that distinguish clients answer so until they expire.
 */
export function findCacheLag(probes: readonly Observation[], now: Time): readonly Observation[] | null {
  const differ = tellingDifference(probes, now)
  const lagging = findAlternations(probes, differ).find(({ pair, found }) => {
    const lag = isRecent(found, now) ? findLag(probes, pair, found, differ) : null
    return lag === 'open' || (lag === 'withdrawn' && !ofReceivers(found))
  })
  return lagging?.found ?? null
}

type Found = readonly [Observation, Observation, Observation, Observation]
type Alternation = { readonly pair: readonly Observation[]; readonly found: Found }

/** Finds all alternations, for each pair of clients the newest first. */
function findAlternations(probes: readonly Observation[], differ: Differ): Alternation[] {
  const clients = [...new Set(probes.map(({ client }) => client))]
  return clients.flatMap((a, index) =>
    clients.slice(index + 1).flatMap((b) => {
      const pair = probes.filter(({ client }) => client === a || client === b)
      return alternationsOf(toRuns(pair, differ), differ).map((found) => ({ pair, found }))
    }),
  )
}

const ofReceivers = ([first, second]: Found) => payeesDiffer(first, second)

/**
 * Returns how a cache explains an alternation: `open` while one client lags behind, `over` once it sees the newer terms
 * too, `withdrawn` if the other client stops seeing them before; null if it does not. Both clients saw the older terms
 * before the newer appeared, and the lag ends within hours. A newer receiver has to stay as long as a confirmed one.
 */
function findLag(
  probes: readonly Observation[],
  pair: readonly Observation[],
  found: Found,
  differ: Differ,
): 'open' | 'over' | 'withdrawn' | null {
  if (isForgotten(probes, pair, found, differ)) return null
  const end = found[3].at
  const firstAt = (side: Observation) => pair.find((probe) => !differ(probe, side)) ?? side
  const sides = [firstAt(found[0]), firstAt(found[1])] as const
  const [older, newer] = sides[0].at <= sides[1].at ? sides : [sides[1], sides[0]]
  if (end - newer.at >= LIMITS.cacheLagMs) return null
  const sawOlder = (client: string) =>
    pair.some((probe) => probe.client === client && probe.at < newer.at && !differ(probe, older))
  if (!found.every(({ client }) => sawOlder(client))) return null
  const lagging = found.find((probe) => differ(probe, newer))?.client
  const needed = ofReceivers(found) ? LIMITS.swapLooks : 1
  let caughtUp = 0
  for (const probe of pair.filter(({ at }) => at > end)) {
    const isNewer = !differ(probe, newer)
    if (!isNewer && probe.client !== lagging) return 'withdrawn'
    if (!isNewer && probe.at - newer.at >= LIMITS.cacheLagMs) return null
    if (!isNewer) caughtUp = 0
    else if (probe.client === lagging || caughtUp > 0) caughtUp += 1
    if (caughtUp >= needed) return 'over'
  }
  return 'open'
}

/** Whether one side's terms may have been seen and forgotten: the memory of terms is bounded, so that it knows no more. */
function isForgotten(
  probes: readonly Observation[],
  pair: readonly Observation[],
  found: Found,
  differ: Differ,
): boolean {
  const telling = differ === termsDiffer ? BY_TERMS : BY_PAYEES
  const before = probes.slice(0, probes.indexOf(found[3]) + 1).map(toSeen)
  const { list } = before.reduce((seen, probe) => addSighting(seen, probe, telling), NO_SIGHTINGS)
  const own = list.filter((one) => pair.some(({ client }) => client === one.client))
  return found.slice(0, 2).some((side) => mayBeOld({ list: own }, toSeen(side).terms, telling.differ))
}

const isRecent = (found: Found, now: Time) => found[3].at >= now - LIMITS.cloakMemoryMs

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

function alternationsOf(runs: readonly Run[], differ: Differ): Found[] {
  const alternations: Found[] = []
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
      alternations.push([first.last, second.first, third.first, fourth.first])
    }
  }
  return alternations
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
