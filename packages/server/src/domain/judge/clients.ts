import type { Observation, Time } from '../facts/facts.ts'
import { mainOffer, offerKey, receiverSets, receiversDiffer } from './offers.ts'
import { LIMITS } from './spec.ts'

/** Whether two looks are unlike each other in some respect. */
export type Differ = (a: Observation, b: Observation) => boolean

/** Whether two looks name different receivers. */
export const payeesDiffer: Differ = (a, b) => receiversDiffer(receiverSets(a), receiverSets(b))

/** Whether two looks ask different amounts, or the same in another way. */
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

/** Whether two looks show different terms: other receivers, or another amount. */
export const termsDiffer: Differ = (a, b) => payeesDiffer(a, b) || pricesDiffer(a, b)

/** Two looks of one identity within a minute that name different receivers, newest such pair; or null. */
export function findRotation(looks: readonly Observation[], now: Time): readonly Observation[] | null {
  return findQuickPair(looks, now, payeesDiffer)
}

/** Two looks of one identity within a minute that ask different amounts, newest such pair; or null. */
export function findDynamicPrice(looks: readonly Observation[], now: Time): readonly Observation[] | null {
  return findQuickPair(looks, now, pricesDiffer)
}

function findQuickPair(
  looks: readonly Observation[],
  now: Time,
  differ: Differ,
): readonly Observation[] | null {
  for (let index = looks.length - 1; index > 0; index--) {
    const look = looks[index]
    if (look === undefined || look.at < now - LIMITS.rotationMemoryMs) return null
    for (let before = index - 1; before >= 0; before--) {
      const earlier = looks[before]
      if (earlier === undefined || earlier.at < look.at - LIMITS.rotationWithinMs) break
      if (earlier.client === look.client && differ(earlier, look)) return [earlier, look]
    }
  }
  return null
}

/**
 * In which respects a difference between looks still says something: none where receivers rotate, only receivers
 * where the price changes from request to request.
 */
export function tellingDifference(looks: readonly Observation[], now: Time): Differ {
  if (findRotation(looks, now) !== null) return () => false
  return findDynamicPrice(looks, now) === null ? termsDiffer : payeesDiffer
}

/** Looks of one identity in a row at the same terms. */
type Run = { readonly client: string; readonly first: Observation; last: Observation }

/**
 * The four looks that show cloaking, newest such pattern, or null: one identity saw terms x, the other y, and
 * looking again each saw its own again, with nothing between that says otherwise. All within an hour: over a longer
 * time a price that follows the time of day looks the same.
 */
export function findCloaking(looks: readonly Observation[], now: Time): readonly Observation[] | null {
  const differ = tellingDifference(looks, now)
  const clients = [...new Set(looks.map(({ client }) => client))]
  for (const [index, a] of clients.entries()) {
    for (const b of clients.slice(index + 1)) {
      const pair = looks.filter(({ client }) => client === a || client === b)
      const found = findAlternation(toRuns(pair, differ), differ)
      if (found !== null && (isRecent(found, now) || stillDiffer(pair, differ))) return found
    }
  }
  return null
}

const isRecent = (found: readonly Observation[], now: Time) =>
  (found.at(-1)?.at ?? 0) >= now - LIMITS.cloakMemoryMs

/** Whether the last that each of two identities saw is different: what was shown once does not lapse while it goes on. */
function stillDiffer(pair: readonly Observation[], differ: Differ): boolean {
  const last = pair.at(-1)
  const other = pair.findLast(({ client }) => client !== last?.client)
  return last !== undefined && other !== undefined && differ(last, other)
}

/** Joins neighbouring looks of one identity at the same terms. */
function toRuns(looks: readonly Observation[], differ: Differ): Run[] {
  const runs: Run[] = []
  for (const look of looks) {
    const run = runs.at(-1)
    if (run === undefined || run.client !== look.client || differ(run.last, look)) {
      runs.push({ client: look.client, first: look, last: look })
    } else run.last = look
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

/**
 * Whether the last look shows other terms than another identity saw last, and nothing has settled what that means.
 * Such a difference wants more looks soon, by alternating identities.
 */
export function hasOpenDifference(looks: readonly Observation[], now: Time): boolean {
  const last = looks.at(-1)
  if (last === undefined) return false
  const others = new Map(
    looks.filter(({ client }) => client !== last.client).map((look) => [look.client, look]),
  )
  if (![...others.values()].some((other) => termsDiffer(last, other))) return false
  const differ = tellingDifference(looks, now)
  return [...others.values()].some((other) => differ(last, other))
}
