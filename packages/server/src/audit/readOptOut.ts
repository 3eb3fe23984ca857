import type { Context } from '../context.ts'
import type { OwnFault } from '../facts/facts.ts'
import { declinesProbes, isDisallowed, parseRobots, type RobotsRule } from '../facts/optOut.ts'
import { type ReceiverProof, readReceiverProofs } from '../facts/rotation.ts'
import { DAY } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { type ByteCache, createByteCache } from '../lib/createByteCache.ts'
import type { Prober } from '../lib/prober.ts'

/** Whether a host allows probes of an endpoint; or why this could not be read, through a fault of ours. */
export type Permission = 'granted' | 'opted_out' | OwnFault

/** Maximum size of all cached policies in bytes; one of a host without rules and proofs takes about 300. */
const MAX_BYTES = 32 * 1024 * 1024
/** Maximum size of the proofs of one host in bytes. */
const MAX_PROOF_BYTES = 16 * 1024
/** A policy is read again after a day, and applies for a week while that fails on our side. */
const EXPIRY_MS = 7 * DAY

/** Parsed opt-out documents of a host. */
export type Policy = {
  readonly rules: readonly RobotsRule[]
  readonly isDeclined: boolean
  readonly proofs: readonly ReceiverProof[]
}

/** Context of reads of hosts' policies. */
export type OptOutContext = Pick<Context, 'clock'> & {
  readonly prober: Pick<Prober, 'document'>
  /** Policies by origin, see {@link createPolicies}. */
  readonly policies: ByteCache<Policy>
}

/** Creates the cache of policies. */
export function createPolicies({ now }: Pick<Clock, 'now'>): ByteCache<Policy> {
  return createByteCache<Policy>({
    maxBytes: MAX_BYTES,
    expiryMs: EXPIRY_MS,
    now,
    sizeOf: (policy) => 2 * JSON.stringify(policy).length,
  })
}

/**
 * Reads whether the host declines probes of the endpoint by `robots.txt` or `/.well-known/x402`. A missing document declines
 * nothing. A policy is kept for a day; a failure on our side is not kept, and grants nothing that an earlier policy did not.
 */
export async function readPermission(
  ctx: OptOutContext,
  endpoint: string,
  signal?: AbortSignal,
): Promise<Permission> {
  const { origin, pathname } = new URL(endpoint)
  const known = ctx.policies.get(origin)
  const isFresh = known !== undefined && ctx.clock.now() - known.at < DAY
  const policy = isFresh ? known.value : await readPolicy(ctx, origin, signal)
  if (typeof policy === 'string') return policy
  return policy.isDeclined || isDisallowed(policy.rules, pathname) ? 'opted_out' : 'granted'
}

async function readPolicy(
  { prober, policies }: OptOutContext,
  origin: string,
  signal: AbortSignal | undefined,
): Promise<Policy | OwnFault> {
  let fault: OwnFault | undefined
  const read = async (path: string) => {
    const text = await prober.document(`${origin}${path}`, signal, (cause) => {
      fault = cause
    })
    return text ?? ''
  }
  const rules = parseRobots(await read('/robots.txt'))
  const wellKnown = await read('/.well-known/x402')
  const isDeclined = declinesProbes(wellKnown)
  const policy = { rules, isDeclined, proofs: fitProofs(readReceiverProofs(wellKnown)) }
  // The last known policy still applies.
  if (fault !== undefined) return policies.get(origin)?.value ?? fault
  policies.set(origin, policy)
  return policy
}

/** Returns the receiver proofs of the `/.well-known/x402` that was read last; none if none was. */
export function proofsOf(
  { policies }: Pick<OptOutContext, 'policies'>,
  endpoint: string,
): readonly ReceiverProof[] {
  return policies.get(new URL(endpoint).origin)?.value.proofs ?? []
}

/** Fetches a document as the prober does, but asks no host for one that it declines to have read. */
export async function readPermitted(
  ctx: OptOutContext,
  ...[url, signal, onOwnFault, maxBytes]: Parameters<Prober['document']>
): Promise<string | null> {
  const permission = await readPermission(ctx, url, signal)
  if (permission === 'granted') return ctx.prober.document(url, signal, onOwnFault, maxBytes)
  if (permission !== 'opted_out') onOwnFault?.(permission)
  return null
}

/** Returns the first proofs that fit into the bound; signatures of contracts may be long. */
function fitProofs(proofs: readonly ReceiverProof[]): readonly ReceiverProof[] {
  let bytes = 0
  return proofs.filter((proof) => {
    bytes += JSON.stringify(proof).length
    return bytes <= MAX_PROOF_BYTES
  })
}
