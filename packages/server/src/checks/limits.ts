import { siteOf } from '@touchstone402/shared'
import { clientKey, createLimiter } from '../http/rateLimit.ts'
import { ProblemError } from '../lib/problemError.ts'
import type { UnpaidCaller } from '../probe/createUnpaidCaller.ts'
import type { CheckRequest } from './checkRecord.ts'

// Windows in real time.
const PER_CLIENT = { points: 6, windowSeconds: 600 }
/** Bounds the load that strangers can put on one site. */
const PER_SITE = { points: 12, windowSeconds: 3600 }
/** A check of a host probes many endpoints. */
const WHOLE_HOSTS_PER_SITE = { points: 3, windowSeconds: 3600 }
/** Platforms serve many hosts from one address. */
const PER_ADDRESS = { points: 30, windowSeconds: 3600 }
/** Separate limit for owners, since strangers may use up the others. */
const PER_OWNER = { points: 12, windowSeconds: 3600 }
const RESOLVE_MS = 2_000

type CountedCheck = Pick<CheckRequest, 'host' | 'endpoint' | 'client' | 'isOwner'>

/** Creates the limits of checks. */
export function createCheckLimits({ resolve }: Pick<UnpaidCaller, 'resolve'>) {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const wholeHosts = createLimiter(WHOLE_HOSTS_PER_SITE)
  const owners = createLimiter(PER_OWNER)
  const addresses = createLimiter(PER_ADDRESS)
  return {
    /**
     * Counts a check, and refuses it over a limit: by client, and if its host resolves, by registrable domain and by address.
     * A check by the owner is counted by client and domain, apart from those of others.
     * @throws ProblemError 429
     */
    async take({ host, endpoint, client, isOwner }: CountedCheck): Promise<void> {
      refuseFor(clients.take(client), 'You have started too many checks')
      const { hostname } = new URL(`http://${host}`)
      const limiter = isOwner ? owners : endpoint === null ? wholeHosts : sites
      const takeSite = () => refuseFor(limiter.take(siteOf(hostname)), 'This domain was checked often lately')
      if (isOwner) return takeSite()
      const bare = hostname.replace(/^\[|\]$/g, '')
      const found = await resolve(bare, AbortSignal.timeout(RESOLVE_MS)).catch(() => [])
      if (found.length === 0) return
      takeSite()
      const waits = [...new Set(found.map(clientKey))].map((address) => addresses.take(address))
      refuseFor(Math.max(0, ...waits), 'The address of this host was checked often lately')
    },
  }
}

function refuseFor(seconds: number, why: string): void {
  if (seconds === 0) return
  const detail = `${why}; try again in ${seconds} s.`
  throw new ProblemError(429, 'scanned_often', detail, { retryAfterSeconds: seconds })
}
