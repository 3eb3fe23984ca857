import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'

/** Resolves a name to every address it has, IPv4 first. Rejects with a resolver's code where there is none. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** More than any honest name has; what comes after is neither checked nor dialled, so the name is refused. */
const MAX_ADDRESSES = 32

/** A name that could not be resolved. */
export class ResolveError extends Error {
  override readonly name = 'ResolveError'
  readonly code: string
  /** Whether the name itself is at fault: a resolver that has lately answered says that it does not exist. */
  readonly isTheirs: boolean
  constructor(code: string, isTheirs: boolean) {
    super(`the name could not be resolved: ${code}`)
    this.code = code
    this.isTheirs = isTheirs
  }
}

// "No such name" and "no address under that name". Anything else (EAI_AGAIN, ESERVFAIL, ETIMEOUT, ECONNREFUSED) is
// the resolver's own trouble, or cannot be told from it.
const ABSENT_CODES = new Set(['ENOTFOUND', 'ENODATA'])

/** How long one answered name vouches for the resolver, ms. */
const WITNESS_MS = 10 * 60_000

/**
 * Creates a resolver that tells a name's fault from its own.
 *
 * A resolver without a way out may answer "no such name" to everything. So an absent name counts against a seller
 * only when another name was resolved within the last ten minutes.
 * @param lookup node's own form, as `net.connect` takes it. @default a DNS resolver that reads no hosts file
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
      const addresses = await untilAborted(resolve(hostname), signal)
      if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENODATA' })
      if (addresses.length > MAX_ADDRESSES) throw Object.assign(new Error('too many'), { code: 'ETOOMANY' })
      answeredAt = now()
      return [...addresses].sort((a, b) => a.family - b.family)
    } catch (error) {
      // Whoever waits for a resolver waits for us.
      if (signal.aborted) throw new ResolveError('ETIMEOUT', false)
      const code = readCode(error) ?? 'UNKNOWN'
      throw new ResolveError(code, ABSENT_CODES.has(code) && now() - answeredAt <= WITNESS_MS)
    }
  }
}

/** The `code` of a node error, or undefined. */
export function readCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

function createDnsLookup(): (hostname: string) => Promise<readonly LookupAddress[]> {
  // Not dns.lookup: it blocks one of four threads per slow name, and reads the hosts file of the machine.
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (addresses.length > 0) return addresses
    const failures = [four, six].flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    // One question that went unanswered is enough to not call the name absent.
    throw failures.find((failure) => !ABSENT_CODES.has(readCode(failure) ?? '')) ?? failures[0]
  }
}

/** Node's own form of a lookup, as a promise of every address. */
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

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
