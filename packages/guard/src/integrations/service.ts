import type { GuardContext, VerdictReader } from '../paying/guardContext.ts'
import { createMapVerdicts, isLacking } from '../verdicts/mapVerdicts.ts'
import { createServiceReader } from '../verdicts/serviceApi.ts'
import type { ReadServiceOptions } from '../verdicts/serviceOptions.ts'
import { createVerdictClient } from '../verdicts/verdictClient.ts'
import type { GuardOptions } from './guardOptions.ts'
import { createLiveCheck } from './liveCheck.ts'

const LIVE_CHECK_TIMEOUT_MS = 60_000

/** Creates the client that finds verdicts, by asking the service or in a map, and the buyer of live checks. */
export function openService(
  context: GuardContext,
  service: ReadServiceOptions,
  { log, account }: GuardOptions,
): { verdicts: VerdictReader; liveCheck: NonNullable<GuardContext['liveCheck']> } {
  const { url, jwksThumbprint, timeoutMs, map, askUnknown, fetch = globalThis.fetch } = service
  const { count, now, policy } = context
  const maxAgeMs = service.cacheSeconds * 1000
  const asking = createVerdictClient({
    ...{ count, now, log, maxAgeMs },
    readJson: createServiceReader({ url, timeoutMs, fetch }),
    issuer: service.issuer ?? new URL(url).origin,
    thumbprints: typeof jwksThumbprint === 'string' ? [jwksThumbprint] : jwksThumbprint,
    retryAfterMs: 5000,
    useCached: policy.onUnavailable === 'cached',
  })
  const buy =
    account &&
    createLiveCheck(context, {
      ...{ account, fetch, maxAgeMs, serviceUrl: url, accept: asking.accept },
      payTo: service.payTo,
      maxPriceUsd: service.maxLiveCheckUsd,
      timeoutMs: LIVE_CHECK_TIMEOUT_MS,
    })
  if (map === undefined) return { verdicts: asking, liveCheck: async (endpoint) => buy?.(endpoint) ?? null }
  // A live check names its endpoint.
  const mayName = (endpoint: string) => askUnknown === true && isLacking(map.get(endpoint))
  return {
    verdicts: createMapVerdicts({ map, asking: askUnknown ? asking : null, timeoutMs, count }),
    liveCheck: async (endpoint) => (buy && mayName(endpoint) ? buy(endpoint) : null),
  }
}
