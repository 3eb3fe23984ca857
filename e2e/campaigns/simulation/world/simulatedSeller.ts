import { keccak256, toHex } from 'viem'
import { accountOf, depositAddress } from './names.ts'
import { plain } from './plainReplies.ts'
import { mppHeader, signOffers } from './proofs.ts'
import type { EdgeCache, Entry, Host, Phase, SellerRequest, SellerResponse } from './types.ts'
import { writeChallenge } from './wire.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Returns the response of a host; null if nothing answers there. */
export type Serve = (host: Host, request: SellerRequest) => Promise<SellerResponse | null>

/**
 * Creates the sellers.
 * @param random 0 to 1, for sellers that act at random
 */
export function createSellers(random: () => number): Serve {
  let requests = 0
  const freeCalls = new Map<string, number>()
  /** Whether a call is one of the free ones of the day. */
  const takeFree = (host: Host, { path, since }: SellerRequest, { freeCalls: most = 0 }: Phase) => {
    const key = `${host.host}${path} ${Math.floor(since / DAY)}`
    const taken = freeCalls.get(key) ?? 0
    freeCalls.set(key, taken + 1)
    return taken < most
  }

  const serveAtOrigin: Serve = async (host, request) => {
    const phase = phaseAt(host, request.since / DAY)
    if (host.refuses?.(request) === true) return plain(host.refusal ?? 'blocked')
    if (phase.reply === 'refused' || isFailing(phase, request, random)) return null
    const paths = phase.paths ?? host.paths ?? ['/api']
    if (!paths.includes(request.path) && request.path !== phase.movedTo) {
      if (phase.reply !== 'page' && phase.reply !== 'provider_402' && phase.isCatchAll !== true)
        return plain('not_found')
    } else if (phase.movedTo !== undefined && request.path !== phase.movedTo) {
      return { status: 308, headers: { location: phase.movedTo }, body: '' }
    } else if (host.onlyPost === true && request.method !== 'POST') return plain('method_not_allowed')
    else if (host.onlyGet === true && request.method !== 'GET') return plain('method_not_allowed')
    if (phase.reply !== 'challenge') return plain(phase.reply)
    if (host.validates?.(request) === false) return plain('input_needed')
    if (phase.freeCalls !== undefined && takeFree(host, request, phase)) return plain('free')
    requests++
    return challenge(host, phase, request, { random, requests })
  }

  return async (host, request) => {
    const { cache, latencyMs } = host
    const answer = await serveCached(host, request, cache)
    return answer === null || latencyMs === undefined ? answer : { ...answer, latencyMs }
  }

  async function serveCached(host: Host, request: SellerRequest, cache: EdgeCache | undefined) {
    if (cache === undefined) return serveAtOrigin(host, request)
    const point = Math.floor(random() * cache.points)
    const variant = cache.varyBy === undefined ? '' : request.headers[cache.varyBy]
    const since = filledAt(`${host.host} ${point} ${variant}`, cache, request.since)
    const response = await serveAtOrigin(host, { ...request, since })
    return response === null ? null : { ...response, headers: { ...response.headers, ...CACHED } }
  }
}

const CACHED = { 'cf-cache-status': 'HIT' }

/** Returns when a cache entry was filled. Other visitors fill it as soon as it expires. */
function filledAt(key: string, { minutes }: EdgeCache, since: number): number {
  const lifetime = minutes * MINUTE
  const offset = Number(BigInt(keccak256(toHex(key))) % BigInt(lifetime))
  return Math.max(0, since - ((since + offset) % lifetime))
}

function isFailing({ faults }: Phase, { since }: SellerRequest, random: () => number): boolean {
  if (faults === undefined) return false
  if ('rate' in faults) return random() < faults.rate
  return since % (faults.everyMinutes * MINUTE) < faults.downMinutes * MINUTE
}

type Chance = { readonly random: () => number; readonly requests: number }

async function challenge(
  host: Host,
  phase: Phase,
  request: SellerRequest,
  chance: Chance,
): Promise<SellerResponse> {
  const isShown = phase.shown?.to(request) === true
  const vary = (entry: Entry): Entry => ({
    ...entry,
    payTo: receiverOf(entry, phase, chance),
    amountAtomic: amountOf(entry, phase, request, chance),
  })
  const own = phase.byPath?.[request.path] ?? phase.entries
  const entries = (isShown ? (phase.shown?.entries ?? []) : own).map(vary)
  const url = `https://${host.host}${request.path}`
  const { header, body } = writeChallenge({
    wire: host.wire ?? 'v2',
    url,
    method: request.method,
    entries,
    bodyEntries: phase.bodyEntries ?? entries,
    resource: phase.resource ?? url,
    writes: phase.writes ?? ((accepts) => accepts),
    hidesOutput: host.hidesOutput === true,
    extensions:
      phase.signsOffers === true ? await signOffers(accountOf(host.host), url, entries, Date.now()) : {},
  })
  const headers = {
    ...(header !== null && { 'payment-required': header }),
    ...(phase.asksByMpp === true && { 'www-authenticate': mppHeader(host.host, entries) }),
  }
  const answer = { status: 402, headers, body }
  return phase.sends?.(answer) ?? answer
}

function receiverOf(entry: Entry, { receivers }: Phase, { random, requests }: Chance): string {
  if (receivers === undefined) return entry.payTo
  if (receivers === 'per_request') return depositAddress(requests)
  return receivers.pool[Math.floor(random() * receivers.pool.length)] ?? entry.payTo
}

function amountOf(entry: Entry, { amounts }: Phase, { since }: SellerRequest, { random }: Chance): string {
  if (amounts === undefined) return entry.amountAtomic
  if ('usually' in amounts) return random() < amounts.probability ? amounts.rarely : amounts.usually
  if ('day' in amounts) return since % DAY < DAY / 2 ? amounts.day : amounts.night
  return amounts.anyOf[Math.floor(random() * amounts.anyOf.length)] ?? entry.amountAtomic
}

/** Returns the behavior of a host on a day. */
export function phaseAt(host: Host, day: number): Phase {
  const phase = host.phases.findLast(({ fromDay }) => fromDay <= day) ?? host.phases[0]
  if (phase === undefined) throw new Error(`${host.host} has no phases`)
  return phase
}
