import type { Time } from '../../facts/facts.ts'
import { LIMITS } from '../spec.ts'
import { followLag, type Lag, startLag } from './cacheLag.ts'
import type { Sightings } from './sightings.ts'
import { type Differ, payeesDiffer, type Seen } from './terms.ts'

/** Consecutive probes by one client at the same terms. */
type Run = { readonly client: string; readonly first: Seen; readonly last: Seen }

/** Two clients, the one that was seen first before the other. */
export type ClientPair = readonly [string, string]

/** Four probes where two clients see different terms and, asked again, each sees its own once more. */
export type Alternation = {
  readonly pair: ClientPair
  readonly at: Time
  readonly ids: readonly string[]
  /** Whether the terms differ in their receivers. */
  readonly ofReceivers: boolean
  readonly lag: Lag
}

/** Memory for finding alternations. */
export type Alternations = {
  /** Runs of a pair that the next ones may complete. */
  readonly chains: readonly { readonly pair: ClientPair; readonly runs: readonly Run[] }[]
  /** Oldest first. Of those that a cache explains alike the newest is kept, which decides. */
  readonly found: readonly Alternation[]
}

/** Maximum number of alternations kept of a pair. With more, the oldest that a cache may explain are left out. */
const KEPT = 6

export const NO_ALTERNATIONS: Alternations = { chains: [], found: [] }

/** Context of a probe that is added. */
export type Around = {
  /** The pairs of the probe's client, with the latest probe of either client. */
  readonly pairs: readonly { readonly pair: ClientPair; readonly latest: Seen }[]
  /** With that of the probe. */
  readonly sightings: Sightings
}

/**
 * Adds a probe that returned terms. All four probes of an alternation lie within an hour, since a price that follows the
 * time of day shows the same pattern.
 */
export function addAlternation(
  before: Alternations,
  probe: Seen,
  around: Around,
  differ: Differ,
): Alternations {
  let { chains, found } = before
  for (const { pair, latest } of around.pairs) {
    const isOwn = (one: { readonly pair: ClientPair }) => one.pair[0] === pair[0] && one.pair[1] === pair[1]
    const chain = chains.find(isOwn)?.runs ?? [{ client: latest.client, first: latest, last: latest }]
    const runs = extend(chain, probe, differ)
    const added = runs === chain ? null : findAlternation(runs, pair, around.sightings, differ)
    const known = found
      .filter(isOwn)
      .map(
        (one): Alternation => (probe.at > one.at ? { ...one, lag: followLag(one.lag, probe, differ) } : one),
      )
    const kept = keepDeciding(added === null ? known : [...known, added])
    if (kept.length > 0 || known.length > 0) found = [...found.filter((one) => !isOwn(one)), ...kept]
    const viable = keepViable(runs, probe.at, differ)
    const others = chains.filter((one) => !isOwn(one))
    if (viable.length > 1) chains = [...others, { pair, runs: viable }]
    else if (others.length < chains.length) chains = others
  }
  return { chains, found }
}

function extend(runs: readonly Run[], probe: Seen, differ: Differ): readonly Run[] {
  const last = runs.at(-1)
  if (last === undefined || last.client !== probe.client || differ(last.last.terms, probe.terms))
    return [...runs, { client: probe.client, first: probe, last: probe }]
  return [...runs.slice(0, -1), { ...last, last: probe }]
}

/** Keeps the runs that can still become part of an alternation; at least the last. */
function keepViable(runs: readonly Run[], now: Time, differ: Differ): readonly Run[] {
  for (const length of [3, 2]) {
    const [first, second, third] = runs.length < length ? [] : runs.slice(-length)
    if (first === undefined || second === undefined) continue
    if (first.client === second.client || now - first.last.at > LIMITS.cloakWithinMs) continue
    if (!differ(first.last.terms, second.first.terms)) continue
    const isBack = third?.client === first.client && !differ(first.last.terms, third.first.terms)
    if (length === 2 || isBack) return runs.slice(-length)
  }
  return runs.slice(-1)
}

function findAlternation(
  runs: readonly Run[],
  pair: ClientPair,
  sightings: Sightings,
  differ: Differ,
): Alternation | null {
  const [first, second, third, fourth] = runs
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return null
  const isFound =
    first.client === third.client &&
    second.client === fourth.client &&
    first.client !== second.client &&
    fourth.first.at - first.last.at <= LIMITS.cloakWithinMs &&
    !differ(first.last.terms, third.first.terms) &&
    !differ(second.last.terms, fourth.first.terms) &&
    differ(first.last.terms, second.first.terms)
  if (!isFound) return null
  const probes = [first.last, second.first, third.first, fourth.first] as const
  const ofReceivers = payeesDiffer(first.last.terms, second.first.terms)
  const own = sightings.list.filter(({ client }) => pair.includes(client))
  return {
    pair,
    at: fourth.first.at,
    ids: probes.map(({ id }) => id),
    ofReceivers,
    lag: startLag(probes, own, differ, ofReceivers),
  }
}

/** Drops alternations that no longer decide, or that decide as a newer one does. */
function keepDeciding(found: readonly Alternation[]): readonly Alternation[] {
  const known = new Set<string>()
  const kept = found.toReversed().filter(({ lag, ofReceivers }) => {
    const text = JSON.stringify([lag, ofReceivers])
    if (lag.state === 'over' || known.has(text)) return false
    known.add(text)
    return true
  })
  const open = kept.filter(({ lag }) => lag.state === 'open').slice(KEPT)
  return kept.filter((one) => !open.includes(one)).toReversed()
}
