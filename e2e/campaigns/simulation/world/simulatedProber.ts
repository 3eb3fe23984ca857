import {
  type Clock,
  describeAnswer,
  describeFailure,
  identityOf,
  type Prober,
} from '@touchstone402/server/testing'
import { CLIENTS } from './names.ts'
import type { ProbeTimes } from './probeTimes.ts'
import { phaseAt, type Serve } from './simulatedSeller.ts'
import type { Host, Region } from './types.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MAX_REDIRECTS = 3
const MAX_BODY_BYTES = 256 * 1024
const LATENCY_MS = 80

/** Creates a prober that asks simulated sellers without a network and reads their answers as the service does. */
export function createSimulatedProber(
  hosts: ReadonlyMap<string, Host>,
  clock: Clock,
  start: number,
  serve: Serve,
  probed: ProbeTimes,
): Prober {
  return {
    clients: CLIENTS.length,
    async probe(target) {
      const client = identityOf(target, CLIENTS)
      const since = clock.now() - start
      const { host: name, pathname } = new URL(target.url)
      const host = hosts.get(name)
      let path = pathname
      for (let hop = 0; host !== undefined && hop <= MAX_REDIRECTS; hop++) {
        const { method, body: sent } = target
        const region = regionAt(since)
        const sinceProbe = probed.since(name, since)
        const request = { path, method, headers: client.headers, body: sent, region, since, sinceProbe }
        const answer = await serve(host, request)
        probed.note(host, since, answer)
        if (answer === null) break
        const { status, headers, body, latencyMs = LATENCY_MS } = answer
        if (status === 308) {
          path = headers.location ?? path
          continue
        }
        const read = { status, headers, latencyMs, isTooLarge: false, body: Buffer.from(body) }
        return describeAnswer(target, client, read, {
          maxBytes: MAX_BODY_BYTES,
          readDocument: async () => null,
        })
      }
      return describeFailure(target, client, { outcome: 'down', cause: 'refused' })
    },
    async document(url) {
      const { host: name, pathname } = new URL(url)
      const host = hosts.get(name)
      const phase = host && phaseAt(host, (clock.now() - start) / DAY)
      if (pathname === '/openapi.json') return phase?.openApi ?? null
      return pathname === '/.well-known/x402' ? (phase?.wellKnown ?? null) : null
    },
    async close() {},
  }
}

/** Every fifth day, traffic leaves from another region for six hours. */
function regionAt(since: number): Region {
  const inCycle = since % (5 * DAY)
  return inCycle >= 2 * DAY && inCycle < 2 * DAY + 6 * HOUR ? 'away' : 'home'
}
