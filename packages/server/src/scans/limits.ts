import { canonicalizeUrl, siteOf } from '@touchstone402/shared'
import { ProblemError } from '../http/problems.ts'
import { clientKey, createLimiter } from '../http/rateLimit.ts'

// Windows in real time.
const PER_CLIENT = { points: 6, windowSeconds: 600 }
/** Nobody can have another host scanned all day. */
const PER_SITE = { points: 12, windowSeconds: 3600 }
/** Platforms serve many hosts from one address. */
const PER_ADDRESS = { points: 30, windowSeconds: 3600 }
const RESOLVE_MS = 2_000

/** Returns the addresses of a host name; none if it cannot be resolved. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** Counts a scan, and refuses it over a limit: by client, by registrable domain, and by the addresses of the host. */
export type ScanLimits = { take(endpoint: string, client: string): Promise<void> }

/** Creates the limits. @throws ProblemError 429 from `take` */
export function createScanLimits(resolve: Resolve): ScanLimits {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const addresses = createLimiter(PER_ADDRESS)
  return {
    async take(endpoint, client) {
      refuseFor(clients.take(client), 'You have started too many scans')
      const { hostname } = canonicalizeUrl(endpoint)
      refuseFor(sites.take(siteOf(hostname)), 'This domain was scanned often lately')
      const bare = hostname.replace(/^\[|\]$/g, '')
      const found = await resolve(bare, AbortSignal.timeout(RESOLVE_MS)).catch(() => [])
      const waits = [...new Set(found.map(clientKey))].map((address) => addresses.take(address))
      refuseFor(Math.max(0, ...waits), 'The address of this host was scanned often lately')
    },
  }
}

function refuseFor(seconds: number, why: string): void {
  if (seconds === 0) return
  const detail = `${why}; try again in ${seconds} s.`
  throw new ProblemError(429, 'scanned_often', detail, { retryAfterSeconds: seconds })
}
