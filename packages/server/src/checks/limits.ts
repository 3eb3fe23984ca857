import { siteOf } from '@touchstone402/shared'
import { ProblemError } from '../http/problems.ts'
import { clientKey, createLimiter } from '../http/rateLimit.ts'

// Windows in real time.
const PER_CLIENT = { points: 6, windowSeconds: 600 }
/** Nobody can have another host checked all day. */
const PER_SITE = { points: 12, windowSeconds: 3600 }
/** A check of a host probes many endpoints. */
const WHOLE_HOSTS_PER_SITE = { points: 3, windowSeconds: 3600 }
/** Platforms serve many hosts from one address. */
const PER_ADDRESS = { points: 30, windowSeconds: 3600 }
const RESOLVE_MS = 2_000

/** Returns the addresses of a host name; none if it cannot be resolved. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** Counts a check, and refuses it over a limit: by client, by registrable domain, and by the addresses of the host. */
export type CheckLimits = { take(host: string, client: string, isWholeHost: boolean): Promise<void> }

/** Creates the limits. @throws ProblemError 429 from `take` */
export function createCheckLimits(resolve: Resolve): CheckLimits {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const wholeHosts = createLimiter(WHOLE_HOSTS_PER_SITE)
  const addresses = createLimiter(PER_ADDRESS)
  return {
    async take(host, client, isWholeHost) {
      refuseFor(clients.take(client), 'You have started too many checks')
      const { hostname } = new URL(`http://${host}`)
      refuseFor(
        (isWholeHost ? wholeHosts : sites).take(siteOf(hostname)),
        'This domain was checked often lately',
      )
      const bare = hostname.replace(/^\[|\]$/g, '')
      const found = await resolve(bare, AbortSignal.timeout(RESOLVE_MS)).catch(() => [])
      const waits = [...new Set(found.map(clientKey))].map((address) => addresses.take(address))
      refuseFor(Math.max(0, ...waits), 'The address of this host was checked often lately')
    },
  }
}

function refuseFor(seconds: number, why: string): void {
  if (seconds === 0) return
  const detail = `${why}; try again in ${seconds} s.`
  throw new ProblemError(429, 'checked_often', detail, { retryAfterSeconds: seconds })
}
