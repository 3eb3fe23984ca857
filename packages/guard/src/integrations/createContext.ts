import { NO_CAP, type SpendingCap } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { misconfigured } from '../errors.ts'
import { createEvent } from '../events.ts'
import { deepFreeze } from '../freeze.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import { createLru } from '../lru.ts'
import { createApprovals } from '../paying/approvals.ts'
import { EXACT } from '../paying/exactScheme.ts'
import { createFlights } from '../paying/flights.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { closeExpired, sleep } from '../paying/pendingPayment.ts'
import type { VerdictState } from '../types.ts'
import { type ReadServiceOptions, readServiceOptions } from '../verdicts/serviceOptions.ts'
import type { Counters } from './controls.ts'
import { checkOptions, GUARD_FIELDS, type GuardOptions } from './guardOptions.ts'

/**
 * Creates the state of a guard.
 * @throws ConfigurationError naming every missing or invalid field
 */
export function createContext(options: GuardOptions, counters: Counters): GuardContext {
  checkOptions(GUARD_FIELDS, options)
  const policy = deepFreeze(parsePolicy(options.policy))
  if (policy.uptoFacilitators.length > 0 && options.upto?.name !== 'upto') {
    throw misconfigured('upto: policy.uptoFacilitators needs createUpto() of @touchstone402/guard/upto')
  }
  const service = readServiceOptions(options.service)
  const now = options.now ?? Date.now
  const ledger = options.ledger ?? createMemoryLedger()
  const context: GuardContext = {
    policy,
    cap: NO_CAP,
    ledger,
    now,
    wait: options.wait ?? sleep,
    rpcUrls: options.rpcUrls ?? {},
    keepUrls: options.keepUrls ?? false,
    serviceUrl: service?.url ?? null,
    ...createCallState(),
    accounts: new Set(options.account && [options.account.address.toLowerCase()]),
    unseenHosts: options.allowUnseen ? null : new Set(),
    verdicts: null,
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
    closeExpired: () => closeExpired(context),
  }
  return service === null ? context : { ...context, ...connect(context, service, options) }
}

/** Creates the in-memory state of calls, which each agent has for itself. */
const createCallState = (): Pick<GuardContext, 'approvals' | 'flights' | 'signIns'> => ({
  approvals: createApprovals(),
  flights: createFlights(),
  signIns: createLru(256),
})

/** Returns the context of an agent, whose approvals, answers and alarms are its own. */
export function separate(context: GuardContext, cap: SpendingCap): GuardContext {
  const own: GuardContext = {
    ...context,
    cap,
    ...createCallState(),
    unseenHosts: context.unseenHosts && new Set(),
    closeExpired: () => closeExpired(own),
  }
  return own
}

/** Connects a guard with its service, whose client is loaded now, since a guard works without one. */
function connect(
  context: GuardContext,
  service: ReadServiceOptions,
  options: GuardOptions,
): Pick<GuardContext, 'verdicts' | 'liveCheck'> {
  const opened = import('./service.ts').then(({ openService }) => openService(context, service, options))
  const failed = async (): Promise<VerdictState> => {
    return { state: 'unavailable', detail: 'The client of the service could not be loaded.', lastSeen: null }
  }
  opened.catch(failed)
  return {
    verdicts: { get: (endpoint) => opened.then(({ verdicts }) => verdicts.get(endpoint), failed) },
    liveCheck: (...asked) =>
      opened.then(
        ({ liveCheck }) => liveCheck(...asked),
        async () => ({ state: await failed(), payment: null }),
      ),
  }
}
