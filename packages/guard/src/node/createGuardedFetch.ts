import {
  createGuardedFetch as create,
  type GuardedFetch,
  type GuardedFetchOptions,
} from '../integrations/createGuardedFetch.ts'
import { withDefaultLedger } from './defaultLedger.ts'

export type { GuardedFetch, GuardedFetchOptions, GuardOrOptions } from '../integrations/createGuardedFetch.ts'

/**
 * Creates a `fetch` that pays x402 endpoints of both protocol versions under guard. Its calls take `maxUsd`, the most
 * that this one may cost.
 *
 * On Node, all programs with one account share a ledger, so that limits hold over restarts: that of TOUCHSTONE_LEDGER,
 * else `touchstone/<account>/spending.jsonl` under XDG_STATE_HOME or `~/.local/state`. If the latter cannot be written,
 * the ledger is in memory, with one warning and the event `ledger_in_memory`. Elsewhere it is always in memory.
 * @throws ConfigurationError
 * @example
 * const pay = createGuardedFetch({ account, service: { url: 'https://touchstone.example' } })
 * const response = await pay('https://api.example.com/weather')
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return create(options?.guard === undefined ? withDefaultLedger(options) : options)
}
