import type { Time } from '../../facts/facts.ts'
import { LIMITS } from '../spec.ts'
import {
  type Alternation,
  type Alternations,
  addAlternation,
  type ClientPair,
  NO_ALTERNATIONS,
} from './alternations.ts'
import {
  addQuickPair,
  findDynamicPrice,
  findRotation,
  NO_QUICK_PAIRS,
  type QuickPairs,
} from './quickPairs.ts'
import { addSighting, BY_PAYEES, BY_TERMS, NO_SIGHTINGS, type Sightings } from './sightings.ts'
import { type Differ, payeesDiffer, type Seen, termsDiffer } from './terms.ts'

/** Memory of the terms that each client saw. */
export type ClientTerms = {
  /** Names of clients, in order of their first probe. */
  readonly names: readonly string[]
  /** The last probe of each client, oldest first. */
  readonly latest: readonly Seen[]
  /** Which client saw which terms, and which receivers. */
  readonly sightings: Sightings
  readonly payees: Sightings
  readonly quick: QuickPairs
  /** By all terms, and by receivers only. */
  readonly ofTerms: Alternations
  readonly ofPayees: Alternations
}

/** Maximum number of clients that are compared; there are fewer identities. */
const MAX_CLIENTS = 12
export const NO_CLIENTS: ClientTerms = {
  names: [],
  latest: [],
  sightings: NO_SIGHTINGS,
  payees: NO_SIGHTINGS,
  quick: NO_QUICK_PAIRS,
  ofTerms: NO_ALTERNATIONS,
  ofPayees: NO_ALTERNATIONS,
}

/** Adds a probe that returned terms. */
export function addClient(before: ClientTerms, probe: Seen): ClientTerms {
  const { latest } = before
  const names = before.names.includes(probe.client)
    ? before.names
    : [...before.names, probe.client].slice(-MAX_CLIENTS)
  const sightings = addSighting(before.sightings, probe, BY_TERMS)
  const payees = addSighting(before.payees, probe, BY_PAYEES)
  const own = latest.find(({ client }) => client === probe.client)
  const pairs = latest
    .filter(({ client }) => client !== probe.client && names.includes(client))
    .map((other) => ({
      pair: toPair(names, probe.client, other.client),
      latest: own !== undefined && latest.indexOf(own) > latest.indexOf(other) ? own : other,
    }))
  return {
    names,
    sightings,
    payees,
    latest: [...latest.filter(({ client }) => client !== probe.client), probe].slice(-MAX_CLIENTS),
    quick: addQuickPair(before.quick, probe),
    ofTerms: addAlternation(before.ofTerms, probe, { pairs, sightings }, termsDiffer),
    ofPayees: addAlternation(before.ofPayees, probe, { pairs, sightings: payees }, payeesDiffer),
  }
}

const toPair = (names: readonly string[], a: string, b: string): ClientPair =>
  names.indexOf(a) < names.indexOf(b) ? [a, b] : [b, a]

/**
 * Returns the comparison that is meaningful for an endpoint: none if receivers rotate, receivers only if the price
 * changes per request, all terms otherwise.
 */
export function tellingDifference({ quick }: ClientTerms, now: Time): Differ {
  if (findRotation(quick, now) !== null) return () => false
  return findDynamicPrice(quick, now) === null ? termsDiffer : payeesDiffer
}

/**
 * Returns the ids of the newest four probes that show cloaking: two clients see different terms and, asked again, each
 * sees its own terms once more. Right after a change they may be due to a cache, see {@link findCacheLag}; a receiver
 * that is withdrawn before all clients saw it is not.
 */
export function findCloaking(seen: ClientTerms, now: Time): readonly string[] | null {
  return findFirst(seen, now, ({ pair, at, lag, ofReceivers }, differ) => {
    if (!isRecent(at, now) && !stillDiffer(seen, pair, differ)) return false
    return lag.state === 'none' || (lag.state === 'withdrawn' && ofReceivers)
  })
}

/**
 * Returns the ids of four probes as {@link findCloaking} does where one client still sees the terms that both saw before
 * a change, or did until a new price was withdrawn. Caches that distinguish clients answer so until they expire.
 */
export function findCacheLag(seen: ClientTerms, now: Time): readonly string[] | null {
  return findFirst(
    seen,
    now,
    ({ at, lag, ofReceivers }) =>
      isRecent(at, now) && (lag.state === 'open' || (lag.state === 'withdrawn' && !ofReceivers)),
  )
}

/** Returns the first alternation that passes: by pairs of clients, and of a pair the newest first. */
function findFirst(
  seen: ClientTerms,
  now: Time,
  test: (alternation: Alternation, differ: Differ) => boolean,
): readonly string[] | null {
  const { names, quick } = seen
  if (findRotation(quick, now) !== null) return null
  const differ = tellingDifference(seen, now)
  const { found } = differ === termsDiffer ? seen.ofTerms : seen.ofPayees
  const passing = found.filter((alternation) => test(alternation, differ))
  const rank = ({ pair }: Alternation) => names.indexOf(pair[0]) * names.length + names.indexOf(pair[1])
  const first = Math.min(...passing.map(rank))
  return passing.findLast((alternation) => rank(alternation) === first)?.ids ?? null
}

const isRecent = (at: Time, now: Time) => at >= now - LIMITS.cloakMemoryMs

/** Whether the latest probes of the two clients differ. Cloaking does not expire while they do. */
function stillDiffer({ latest }: ClientTerms, pair: ClientPair, differ: Differ): boolean {
  const [a, b] = pair.map((name) => latest.find(({ client }) => client === name))
  return a !== undefined && b !== undefined && differ(a.terms, b.terms)
}

/** Whether the last probe differs from another client's last probe and the cause is still open. */
export function hasOpenDifference(seen: ClientTerms, now: Time): boolean {
  const last = seen.latest.at(-1)
  if (last === undefined) return false
  const others = seen.latest.slice(0, -1)
  if (!others.some(({ terms }) => termsDiffer(last.terms, terms))) return false
  const differ = tellingDifference(seen, now)
  return others.some(({ terms }) => differ(last.terms, terms))
}
