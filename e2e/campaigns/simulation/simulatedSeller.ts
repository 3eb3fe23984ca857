import { keccak256, toHex } from 'viem'
import { depositAddress } from './names.ts'
import type { EdgeCache, Entry, Host, Phase, SellerRequest } from './types.ts'
import { writeChallenge } from './wire.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** HTTP response of a simulated seller. */
export type SellerResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns the response of a host; null if nothing answers there. */
export type Serve = (host: Host, request: SellerRequest) => SellerResponse | null

/** Statuses of replies without a challenge. */
const PLAIN: Readonly<Partial<Record<Phase['reply'], readonly [status: number, body: string]>>> = {
  blocked: [403, 'Forbidden'],
  input_needed: [422, '{"detail":[{"loc":["query","q"],"msg":"Field required"}]}'],
  error: [500, 'Internal Server Error'],
  page: [200, '<!doctype html><title>Shop</title>'],
  malformed: [402, '{"x402Version":1,"accepts":[{"scheme":"exact"}]}'],
  not_found: [404, '{"error":"Not Found"}'],
  gone: [410, 'Gone'],
  method_not_allowed: [405, 'Method Not Allowed'],
  provider_402: [402, 'Payment required\n\nDEPLOYMENT_DISABLED'],
}

/**
 * Creates the sellers.
 * @param random 0 to 1, for sellers that act at random
 */
export function createSellers(random: () => number): Serve {
  let requests = 0

  const serveAtOrigin: Serve = (host, request) => {
    const phase = phaseAt(host, request.since / DAY)
    if (host.refuses?.(request) === true) return plain('blocked')
    if (phase.reply === 'refused' || isFailing(phase, request, random)) return null
    const paths = host.paths ?? ['/api']
    if (!paths.includes(request.path) && request.path !== phase.movedTo) {
      if (phase.reply !== 'page' && phase.reply !== 'provider_402' && phase.isCatchAll !== true)
        return plain('not_found')
    } else if (phase.movedTo !== undefined && request.path !== phase.movedTo) {
      return { status: 308, headers: { location: phase.movedTo }, body: '' }
    } else if (host.onlyPost === true && request.method !== 'POST') return plain('method_not_allowed')
    if (phase.reply !== 'challenge') return plain(phase.reply)
    requests++
    return challenge(host, phase, request, { random, requests })
  }

  return (host, request) => {
    const { cache } = host
    if (cache === undefined) return serveAtOrigin(host, request)
    const point = Math.floor(random() * cache.points)
    const variant = cache.varyBy === undefined ? '' : request.headers[cache.varyBy]
    const since = filledAt(`${host.host} ${point} ${variant}`, cache, request.since)
    const response = serveAtOrigin(host, { ...request, since })
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

function plain(reply: Phase['reply']): SellerResponse {
  const [status, body] = PLAIN[reply] ?? [500, '']
  return { status, headers: {}, body }
}

function isFailing({ faults }: Phase, { since }: SellerRequest, random: () => number): boolean {
  if (faults === undefined) return false
  if ('rate' in faults) return random() < faults.rate
  return since % (faults.everyMinutes * MINUTE) < faults.downMinutes * MINUTE
}

type Chance = { readonly random: () => number; readonly requests: number }

function challenge(host: Host, phase: Phase, request: SellerRequest, chance: Chance): SellerResponse {
  const isShown = phase.shown?.to(request) === true
  const vary = (entry: Entry): Entry => ({
    ...entry,
    payTo: receiverOf(entry, phase, chance),
    amountAtomic: amountOf(entry, phase, request, chance),
  })
  const entries = (isShown ? (phase.shown?.entries ?? []) : phase.entries).map(vary)
  const url = `https://${host.host}${request.path}`
  const { header, body } = writeChallenge({
    wire: host.wire ?? 'v2',
    url,
    method: request.method,
    entries,
    bodyEntries: phase.bodyEntries ?? entries,
    resource: phase.resource ?? url,
    hidesOutput: host.hidesOutput === true,
  })
  return { status: 402, headers: header === null ? {} : { 'payment-required': header }, body }
}

function receiverOf(entry: Entry, { receivers }: Phase, { random, requests }: Chance): string {
  if (receivers === undefined) return entry.payTo
  if (receivers === 'per_request') return depositAddress(requests)
  return receivers.pool[Math.floor(random() * receivers.pool.length)] ?? entry.payTo
}

function amountOf(entry: Entry, { amounts }: Phase, { since }: SellerRequest, { random }: Chance): string {
  if (amounts === undefined) return entry.amountAtomic
  if ('day' in amounts) return since % DAY < DAY / 2 ? amounts.day : amounts.night
  return amounts.anyOf[Math.floor(random() * amounts.anyOf.length)] ?? entry.amountAtomic
}

/** Returns the behavior of a host on a day. */
export function phaseAt(host: Host, day: number): Phase {
  const phase = host.phases.findLast(({ fromDay }) => fromDay <= day) ?? host.phases[0]
  if (phase === undefined) throw new Error(`${host.host} has no phases`)
  return phase
}
