import type { Time } from '../facts/facts.ts'
import { LIMITS } from './spec.ts'
import {
  amountsDiffer,
  type Differ,
  ignoringSmallPrices,
  payeesDiffer,
  pricesDiffer,
  type Seen,
  type Terms,
  termsDiffer,
} from './terms.ts'

/** Comparison of the probes of an endpoint. */
export type Comparison = {
  /** The newest two probes by one client within a minute that name different receivers, for 30 days. */
  readonly rotation: Pair | null
  /** Whether one key signed the offers of all probes of 30 days, so that rotating receivers are the seller's word. */
  readonly isSigned: boolean
  /** Such probes that ask different amounts. */
  readonly dynamicPrice: Pair | null
  /**
   * The meaningful comparison: none if receivers rotate, or of amounts if they are signed, of receivers if the price changes
   * per request, else of all terms.
   */
  readonly differ: Differ
  /**
   * Whether the last probe differs from the last probe of one of the three clients that asked last, and the cause is still
   * open. Other input may be the cause: the probes that follow ask the same of all three.
   */
  readonly isOpen: boolean
  /** Whether the last probe differs from the last probe of any client. */
  readonly isUneven: boolean
}

type Pair = readonly [Seen, Seen]

/** Compares the probes of an endpoint, oldest first. */
export function compareProbes(seen: readonly Seen[], now: Time): Comparison {
  return compare(seen, now, {
    rotation: findQuickPair(seen, now, payeesDiffer, 1, isRotating),
    dynamicPrice: findQuickPair(seen, now, pricesDiffer),
  })
}

/** Extends a comparison of the first `count` probes. Pairs are searched among the new probes alone. */
export function compareMore(known: Comparison, count: number, seen: readonly Seen[], now: Time): Comparison {
  const newest = (differ: Differ, before: Pair | null, isOne?: typeof isRotating) =>
    findQuickPair(seen, now, differ, count, isOne) ??
    (before !== null && isRemembered(before[1], now) ? before : null)
  return compare(seen, now, {
    rotation: newest(payeesDiffer, known.rotation, isRotating),
    dynamicPrice: newest(pricesDiffer, known.dynamicPrice),
  })
}

function compare(
  seen: readonly Seen[],
  now: Time,
  { rotation, dynamicPrice }: Pick<Comparison, 'rotation' | 'dynamicPrice'>,
): Comparison {
  const isSigned = rotation !== null && areSignedByOne(seen, now)
  const differ: Differ =
    rotation === null
      ? dynamicPrice === null
        ? termsDiffer
        : payeesDiffer
      : isSigned && findQuickPair(seen, now, amountsDiffer) === null
        ? amountsDiffer
        : neverDiffer
  const last = seen.at(-1)
  const lasts = lastOfEach(seen)
  const differsFar = ignoringSmallPrices(differ)
  const differs = (probe: Seen) => last !== undefined && differsFar(last.terms, probe.terms)
  const isOpen = lasts.slice(0, LIMITS.askedClients).some(differs)
  return { rotation, isSigned, dynamicPrice, differ, isOpen, isUneven: lasts.some(differs) }
}

/** Returns the last probe of each client, the newest first. */
function lastOfEach(seen: readonly Seen[]): readonly Seen[] {
  const lasts = new Map<string, Seen>()
  for (const probe of seen.toReversed()) if (!lasts.has(probe.client)) lasts.set(probe.client, probe)
  return [...lasts.values()]
}

const neverDiffer: Differ = () => false

const isRemembered = ({ at }: Seen, now: Time) => at >= now - LIMITS.rotationMemoryMs

function areSignedByOne(seen: readonly Seen[], now: Time): boolean {
  const recent = seen.filter((probe) => isRemembered(probe, now))
  const [first] = recent
  // As with one receiver, a key may be new.
  return first?.signer !== undefined && recent.every(({ signer }) => signer === first.signer)
}

/**
 * Whether the receiver changed from probe to probe up to a pair. One that named its usual receiver nearly always is no
 * rotation: a thief that answers the repeated probe honestly shows two receivers within a minute as well.
 */
function isRotating(seen: readonly Seen[], last: number): boolean {
  const before = seen.slice(Math.max(0, last + 1 - LIMITS.rotationProbes), last + 1)
  if (before.length < LIMITS.rotationProbes / 2) return true
  const usual = before.map((one) => before.filter(({ terms }) => !payeesDiffer(one.terms, terms)).length)
  const changes = before.filter((one, index) => {
    const earlier = before[index - 1]
    return earlier !== undefined && payeesDiffer(earlier.terms, one.terms)
  })
  const isUsual = 100 * Math.max(...usual) >= LIMITS.mostlyStablePct * before.length
  return !isUsual && changes.length >= before.length / 4
}

/**
 * @param first place of the first probe that may be the later of the two
 * @param isOne whether a pair counts, by the place of the later one. @default every one does
 */
function findQuickPair(
  seen: readonly Seen[],
  now: Time,
  differ: Differ,
  first = 1,
  isOne: (seen: readonly Seen[], last: number) => boolean = () => true,
): Pair | null {
  for (let index = seen.length - 1; index >= Math.max(first, 1); index--) {
    const probe = seen[index]
    if (probe === undefined || !isRemembered(probe, now)) return null
    for (let before = index - 1; before >= 0; before--) {
      const earlier = seen[before]
      if (earlier === undefined || earlier.at < probe.at - LIMITS.rotationWithinMs) break
      const isPair = earlier.client === probe.client && differ(earlier.terms, probe.terms)
      if (isPair && isOne(seen, index)) return [earlier, probe]
    }
  }
  return null
}

type Found = readonly [Seen, Seen, Seen, Seen]

/**
 * Finds the newest four probes where two clients see different terms for equal requests and, asked again, each sees its own
 * terms once more: within an hour, since a price that follows the time of day shows the same pattern. They show cloaking, or else a cache
 * that distinguishes clients: one still sees the terms that both saw before a change, or did until a new price was
 * withdrawn. A receiver that is withdrawn before all clients saw it is cloaked.
 */
export function findAlternations(seen: readonly Seen[], now: Time, differ: Differ) {
  const latest = seen.at(-1)?.request
  // The request that was sent last is searched first.
  const requests = new Set(seen.toReversed().map(({ request }) => request))
  let cloaking: Found | undefined
  let cacheLag: Found | undefined
  for (const request of requests) {
    const alike = requests.size === 1 ? seen : seen.filter((probe) => probe.request === request)
    const found = findAmongEqual(alike, now, differ, request === latest)
    cloaking ??= found.cloaking
    cacheLag ??= found.cacheLag
  }
  const idsOf = (found: Found | undefined) => found?.map(({ id }) => id) ?? null
  return { cloaking: idsOf(cloaking), cacheLag: idsOf(cacheLag) }
}

/** Finds alternations among probes with equal requests. @param isLatest whether they are still sent */
function findAmongEqual(seen: readonly Seen[], now: Time, differ: Differ, isLatest: boolean) {
  const lasts = [...new Map(seen.map((probe) => [probe.client, probe])).values()]
  let cloaking: Found | undefined
  let cacheLag: Found | undefined
  for (const [index, a] of lasts.entries()) {
    for (const b of lasts.slice(index + 1)) {
      const pair = seen.filter(({ client }) => client === a.client || client === b.client)
      // It does not expire while the last probes of the two differ.
      const isLasting = isLatest && differ(a.terms, b.terms)
      for (const found of listAlternations(pair, differ)) {
        const isRecent = found[3].at >= now - LIMITS.cloakMemoryMs
        if (!isRecent && (cloaking !== undefined || !isLasting)) break
        const lag = findLag(seen, pair, found, differ)
        if (lag === null || (lag === 'withdrawn' && ofReceivers(found))) cloaking ??= found
        else if (isRecent && lag !== 'over') cacheLag ??= found
      }
    }
  }
  return { cloaking, cacheLag }
}

/** Lists the alternations of two clients, the newest first. */
function listAlternations(pair: readonly Seen[], differ: Differ): Found[] {
  /** Consecutive probes by one client at the same terms. */
  const runs: { readonly first: Seen; last: Seen }[] = []
  for (const probe of pair) {
    const run = runs.at(-1)
    if (run?.last.client === probe.client && !differ(run.last.terms, probe.terms)) run.last = probe
    else runs.push({ first: probe, last: probe })
  }
  const alternations: Found[] = []
  for (let end = runs.length; end >= 4; end--) {
    const [first, second, third, fourth] = runs.slice(end - 4, end)
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) break
    const isFound =
      first.last.client === third.last.client &&
      second.last.client === fourth.last.client &&
      first.last.client !== second.last.client &&
      fourth.first.at - first.last.at <= LIMITS.cloakWithinMs &&
      differ(first.last.terms, second.first.terms) &&
      !differ(first.last.terms, third.first.terms) &&
      !differ(second.last.terms, fourth.first.terms)
    if (isFound) alternations.push([first.last, second.first, third.first, fourth.first])
  }
  return alternations
}

const ofReceivers = ([first, second]: Found) => payeesDiffer(first.terms, second.terms)

/**
 * Returns how a cache explains an alternation: `open` while one client lags behind, `over` once it sees the newer terms
 * too, `withdrawn` if the other client stops seeing them before; null if it does not. Both clients saw the older terms
 * before the newer appeared, and the lag ends within hours. A newer receiver has to stay as long as a confirmed one.
 */
function findLag(
  seen: readonly Seen[],
  pair: readonly Seen[],
  found: Found,
  differ: Differ,
): 'open' | 'over' | 'withdrawn' | null {
  const end = found[3].at
  const firstOf = (side: Seen) => pair.find(({ terms }) => !differ(terms, side.terms)) ?? side
  const sides = [firstOf(found[0]), firstOf(found[1])] as const
  const [older, newer] = sides[0].at <= sides[1].at ? sides : [sides[1], sides[0]]
  const isNewer = (terms: Terms) => !differ(terms, newer.terms)
  if (end - newer.at >= LIMITS.cacheLagMs) return null
  const sawOlder = (client: string) =>
    pair.some((probe) => probe.client === client && probe.at < newer.at && !differ(probe.terms, older.terms))
  if (!found.every(({ client }) => sawOlder(client))) return null
  const before = seen.slice(0, seen.indexOf(found[3]) + 1)
  const ways = differ === termsDiffer ? [differ, pricesDiffer] : [differ]
  const isOld = ({ terms }: Seen) => ways.some((way) => hasReturned(before, terms, way))
  if (isOld(found[0]) || isOld(found[1])) return null
  const lagging = found.find(({ terms }) => !isNewer(terms))?.client
  const needed = ofReceivers(found) ? LIMITS.swapProbes : 1
  let caughtUp = 0
  for (const probe of pair.slice(pair.findLastIndex(({ at }) => at <= end) + 1)) {
    if (isNewer(probe.terms)) {
      if (probe.client === lagging || caughtUp > 0) caughtUp += 1
      if (caughtUp >= needed) return 'over'
      continue
    }
    if (probe.client !== lagging) return 'withdrawn'
    if (probe.at - newer.at >= LIMITS.cacheLagMs) return null
    caughtUp = 0
  }
  return 'open'
}

/** Whether some terms were seen again after many others: no cache keeps what is that old. */
function hasReturned(seen: readonly Seen[], terms: Terms, differ: Differ): boolean {
  const others = new Set<Terms>()
  let isKnown = false
  for (const probe of seen) {
    if (differ(probe.terms, terms)) {
      if (isKnown) others.add(probe.terms)
      continue
    }
    if (others.size >= LIMITS.cacheTerms) return true
    others.clear()
    isKnown = true
  }
  return false
}
