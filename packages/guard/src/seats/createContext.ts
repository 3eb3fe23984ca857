import { NO_CAP } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { ConfigurationError } from '../errors.ts'
import { createEvent } from '../events.ts'
import { deepFreeze } from '../freeze.ts'
import { createMemoryLedger } from '../ledger/memoryLedger.ts'
import { EXACT } from '../paying/exactScheme.ts'
import { createFlights } from '../paying/flights.ts'
import type { GuardContext, VerdictClient } from '../paying/guardContext.ts'
import { createIntents } from '../paying/intents.ts'
import { recordSilence } from '../paying/pendingPayment.ts'
import { releaseIntent } from '../paying/settlement.ts'
import type { VerdictState } from '../types.ts'
import { createMapVerdicts, isLacking } from '../verdicts/mapVerdicts.ts'
import { createServiceReader } from '../verdicts/serviceApi.ts'
import { type ReadServiceOptions, readServiceOptions } from '../verdicts/serviceOptions.ts'
import { createVerdictClient, type VerdictClientOptions } from '../verdicts/verdictClient.ts'
import { checkOptions, GUARD_FIELDS } from './checkOptions.ts'
import type { Counters } from './counters.ts'
import type { GuardOptions } from './guardOptions.ts'

/**
 * Creates the state of a guard.
 * @throws ConfigurationError naming every missing or invalid field
 */
export function createContext(options: GuardOptions, counters: Counters): GuardContext {
  checkOptions(GUARD_FIELDS, options)
  const policy = deepFreeze(parsePolicy(options.policy))
  if (policy.uptoFacilitators.length > 0 && options.upto?.name !== 'upto') {
    const details = 'upto: policy.uptoFacilitators needs createUpto() of @touchstone402/guard/upto'
    throw new ConfigurationError('CONFIGURATION', { details })
  }
  const service = readServiceOptions(options.service)
  const now = options.now ?? Date.now
  const ledger = options.ledger ?? createMemoryLedger()
  const intents = createIntents()
  const context: GuardContext = {
    policy,
    cap: NO_CAP,
    ledger,
    intents,
    now,
    rpcUrls: options.rpcUrls ?? {},
    keepUrls: options.keepUrls ?? false,
    serviceUrl: service?.url ?? null,
    flights: createFlights(),
    accounts: new Set(options.account && [options.account.address.toLowerCase()]),
    unseenHosts: options.allowUnseen ? null : new Set(),
    verdicts:
      service &&
      createVerdicts(service, options, {
        useCached: policy.onUnavailable === 'cached',
        count: counters.count,
        now,
      }),
    ask: options.ask ?? null,
    askTimeoutMs: options.askTimeoutMs ?? 60_000,
    liveCheck: null,
    verifySignature: options.verifySignature ?? null,
    schemes: { exact: EXACT, upto: options.upto, mpp: options.mpp },
    count: counters.count,
    emit(parts) {
      const event = createEvent(parts, now())
      counters.hear(event)
      ledger.note(event)
      // An observer must not stop a payment, and its rejection must not end the process.
      ;(async () => options.onDecision?.(event))().catch(() => {})
    },
    async closeExpired() {
      for (const open of intents.expire(now())) {
        if (open.signed === null) await releaseIntent(context, open)
        else await recordSilence(context, open.reservation)
      }
    },
  }
  return { ...context, liveCheck: service && chooseLiveCheck(context, service, options.account) }
}

/** Creates the client that finds verdicts: by asking the service, or in a map. */
function createVerdicts(
  service: ReadServiceOptions,
  { log }: GuardOptions,
  { count, ...rules }: Pick<VerdictClientOptions, 'useCached' | 'count' | 'now'>,
): VerdictClient {
  const { url, jwksThumbprint, timeoutMs, map, askUnknown } = service
  const asking = createVerdictClient({
    ...rules,
    readJson: createServiceReader({ url, timeoutMs, fetch: fetchOf(service) }),
    issuer: service.issuer ?? new URL(url).origin,
    thumbprints: typeof jwksThumbprint === 'string' ? [jwksThumbprint] : jwksThumbprint,
    maxAgeMs: service.cacheSeconds * 1000,
    retryAfterMs: 5000,
    count,
    log,
  })
  if (map === undefined) return asking
  return createMapVerdicts({ map, asking: askUnknown ? asking : null, timeoutMs, count })
}

/** Returns how live checks are bought; null if they are not. A live check names its endpoint. */
function chooseLiveCheck(
  context: GuardContext,
  service: ReadServiceOptions,
  account: GuardOptions['account'],
): GuardContext['liveCheck'] {
  const { map, askUnknown, payTo, cacheSeconds, maxLiveCheckUsd: maxPriceUsd } = service
  if (account === undefined || (map !== undefined && !askUnknown)) return null
  const rules = { maxAgeMs: cacheSeconds * 1000, timeoutMs: LIVE_CHECK_TIMEOUT_MS, maxPriceUsd }
  const { verdicts } = context
  if (verdicts === null) return null
  const check = { serviceUrl: service.url, payTo, account, fetch: fetchOf(service), ...rules }
  // Loaded with the first check, since most payments need none.
  let loading: Promise<(endpoint: string) => Promise<VerdictState>> | undefined
  const buy = async (endpoint: string) => {
    loading ??= import('./liveCheck.ts').then(({ createLiveCheck }) =>
      createLiveCheck(context, { ...check, accept: verdicts.accept }),
    )
    return (await loading)(endpoint)
  }
  if (map === undefined) return buy
  return async (endpoint) => (isLacking(map.get(endpoint)) ? buy(endpoint) : null)
}

const LIVE_CHECK_TIMEOUT_MS = 15_000

const fetchOf = ({ fetch = globalThis.fetch }: ReadServiceOptions) => fetch
