import { declinesProbes, isDisallowed } from '../domain/facts/optOut.ts'
import { type ReceiverProof, readReceiverProofs } from '../domain/facts/rotation.ts'
import { DAY } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Prober } from '../ports/prober.ts'

/** Reads whether hosts decline probes. */
export type OptOutReader = {
  /** Whether the host declines probes of the endpoint by `robots.txt` or `/.well-known/x402`. Cached for a day. */
  isOptedOut(endpoint: string, signal?: AbortSignal): Promise<boolean>
}

/** Reads the documents of hosts. */
export type HostDocumentReader = OptOutReader & {
  /** Returns the receiver proofs of the `/.well-known/x402` that was read last; none if none was. */
  receiverProofs(endpoint: string): readonly ReceiverProof[]
}

/** Maximum number of cached policies; the oldest is evicted first. */
const MAX_CACHED = 50_000

type Policy = {
  readonly at: number
  readonly robots: string
  readonly isDeclined: boolean
  readonly proofs: readonly ReceiverProof[]
}

/** Creates the reader. A missing document declines nothing; a failure on our side is not cached. */
export function createOptOutReader({
  prober,
  clock,
}: {
  prober: Pick<Prober, 'document'>
  clock: Pick<Clock, 'now'>
}): HostDocumentReader {
  const policies = new Map<string, Policy>()

  async function ask(origin: string, signal: AbortSignal | undefined): Promise<Policy> {
    let isCertain = true
    const read = async (path: string) => {
      const text = await prober.document(`${origin}${path}`, signal, () => {
        isCertain = false
      })
      return text ?? ''
    }
    const robots = await read('/robots.txt')
    const wellKnown = await read('/.well-known/x402')
    const isDeclined = declinesProbes(wellKnown)
    const policy = { at: clock.now(), robots, isDeclined, proofs: readReceiverProofs(wellKnown) }
    // After a fault on our side, the last known policy still applies.
    if (!isCertain) return policies.get(origin) ?? policy
    policies.delete(origin)
    policies.set(origin, keepSmall(policy))
    const [oldest] = policies.keys()
    if (policies.size > MAX_CACHED && oldest !== undefined) policies.delete(oldest)
    return policy
  }

  return {
    async isOptedOut(endpoint, signal) {
      const { origin, pathname } = new URL(endpoint)
      const known = policies.get(origin)
      const isFresh = known !== undefined && clock.now() - known.at < DAY
      const policy = isFresh ? known : await ask(origin, signal)
      return policy.isDeclined || isDisallowed(policy.robots, pathname)
    },
    receiverProofs: (endpoint) => policies.get(new URL(endpoint).origin)?.proofs ?? [],
  }
}

/** Drops a `robots.txt` that does not name the prober. */
const keepSmall = (policy: Policy): Policy =>
  /touchstone/i.test(policy.robots) ? policy : { ...policy, robots: '' }
