import type { Economy } from '@touchstone402/economy'
import { createGuard, type GuardEvent, isGuardError } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { wrapFetchWithPayment } from 'x402-fetch'

type FetchLike = typeof fetch

/** Timeout of an answer of the service: ten minutes, so that a busy machine refuses no seller for it. */
export const SERVICE_TIMEOUT_MS = 600_000

/** An agent with a guarded wallet. */
export type Bot = { readonly name: string; readonly address: `0x${string}`; readonly fetch: FetchLike }

/** Result of a call. */
export type Outcome =
  | { readonly kind: 'paid'; readonly status: number; readonly amountUsd: string; readonly tx: string }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
  | { readonly kind: 'free'; readonly status: number }

/** A bot that calls an endpoint and returns the result. */
export type Shopper = Bot & { buy(url: string, method: string): Promise<Outcome> }

/** Creates two agents, each with its own wallet, policy and version of the payment library. */
export function createBots(economy: Economy, serviceUrl: string): { v2: Shopper; v1: Shopper } {
  return {
    v2: createShopper(
      'bot-v2 (@x402/fetch)',
      economy,
      0,
      (account, guard) => createGuardedFetch({ account, guard, fetch: economy.fetch }),
      serviceUrl,
    ),
    v1: createShopper(
      'bot-v1 (x402-fetch)',
      economy,
      1,
      (account, guard) =>
        // The guard's policy sets the limits, not the library.
        wrapFetchWithPayment(guard.fetch(economy.fetch) as FetchLike, account, 10n ** 12n),
      serviceUrl,
    ),
  }
}

type Wallet = Economy['wallets']['bots'][number]

function createShopper(
  name: string,
  economy: Economy,
  index: number,
  wrap: (account: Wallet, guard: ReturnType<typeof createGuard>) => unknown,
  serviceUrl: string,
): Shopper {
  const account = economy.wallets.bots[index]
  if (account === undefined) throw new Error(`the economy has no wallet ${index}`)
  const events: GuardEvent[] = []
  const guard = createGuard({
    service: { url: serviceUrl, timeoutMs: SERVICE_TIMEOUT_MS },
    onDecision: (event) => events.push(event),
  })
  const pay = wrap(account, guard) as FetchLike
  return {
    name,
    address: account.address,
    fetch: pay,
    async buy(url, method) {
      events.length = 0
      try {
        const response = await pay(url, { method })
        await response.arrayBuffer()
        const settled = events.findLast(({ transaction }) => transaction !== null)
        return settled?.payment && settled.transaction
          ? {
              kind: 'paid',
              status: response.status,
              amountUsd: settled.payment.amountUsd,
              tx: settled.transaction,
            }
          : { kind: 'free', status: response.status }
      } catch (error) {
        if (!isGuardError(error)) throw error
        return { kind: 'refused', code: error.code, reason: error.shortMessage }
      }
    },
  }
}
