import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { untilAborted } from '../lib/untilAborted.ts'
import { ResolveError, readCode } from './errors.ts'

/** Resolves a name to all of its addresses, IPv4 first. Rejects with `ResolveError`. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** A name with more addresses is refused, rather than dialled with some of them unchecked. */
const MAX_ADDRESSES = 32

// "No such name" and "no address for the name". Every other code may be the resolver's own failure.
const ABSENT_CODES = new Set(['ENOTFOUND', 'ENODATA'])

/** How long one resolved name proves that the resolver works, ms. */
const WITNESS_MS = 10 * 60_000

/**
 * Creates a resolver that distinguishes absent names from its own failures. A resolver without network access may
 * answer "no such name" to everything, so an absent name counts against a seller only if another name was resolved
 * within the last ten minutes.
 * @param lookup as `net.connect` takes it. @default a DNS resolver that ignores the hosts file
 */
export function createResolveHost(
  lookup: LookupFunction | undefined,
  now: () => number = Date.now,
): ResolveHost {
  const resolve = lookup === undefined ? createDnsLookup() : fromLookup(lookup)
  let answeredAt = Number.NEGATIVE_INFINITY
  return async (hostname, signal) => {
    const family = isIP(hostname)
    if (family !== 0) return [{ address: hostname, family }]
    try {
      const addresses = await Promise.race([resolve(hostname), untilAborted(signal)])
      if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENODATA' })
      if (addresses.length > MAX_ADDRESSES) throw Object.assign(new Error('too many'), { code: 'ETOOMANY' })
      answeredAt = now()
      return [...addresses].sort((a, b) => a.family - b.family)
    } catch (error) {
      // A slow resolver is ours.
      if (signal.aborted) throw new ResolveError('ETIMEOUT', false)
      const code = readCode(error) ?? 'UNKNOWN'
      throw new ResolveError(code, ABSENT_CODES.has(code) && now() - answeredAt <= WITNESS_MS)
    }
  }
}

function createDnsLookup(): (hostname: string) => Promise<readonly LookupAddress[]> {
  // Not dns.lookup: it reads the hosts file and blocks one of four threads per slow name.
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    const results = await Promise.allSettled([
      resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
    ])
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length > 0) return addresses
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    // If either query failed in the resolver, the name may exist.
    throw failures.find((failure) => !ABSENT_CODES.has(readCode(failure) ?? '')) ?? failures[0]
  }
}

/** Converts a callback look-up to a promise of all addresses. */
export function fromLookup(lookup: LookupFunction): (hostname: string) => Promise<readonly LookupAddress[]> {
  return (hostname) =>
    new Promise((resolve, reject) => {
      lookup(hostname, { all: true }, (error, answer, family) => {
        if (error !== null) reject(error)
        else if (Array.isArray(answer)) resolve(answer)
        else resolve([{ address: String(answer), family: family ?? isIP(String(answer)) }])
      })
    })
}
