import {
  createGuard,
  type FetchLike,
  type GuardEvent,
  isGuardError,
  type SigningAccount,
} from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'

export type AgentLoopOptions = {
  touchstoneUrl: string
  account: SigningAccount
  /** Dollars for the whole run, as a decimal string. @default '0.25' */
  budgetUsd?: string
  /** Used for every request. @default the global fetch */
  fetch?: FetchLike
  /** Timeout of an answer of the service in ms. @default 3000 */
  timeoutMs?: number
  onDecision?: (event: GuardEvent) => void
}

export type Purchase = { endpoint: string; outcome: 'bought' | 'failed'; status: number }
export type Refusal = { endpoint: string; outcome: 'refused'; code: string }

type Catalog = { services: { endpoints: { endpoint: string; method: string; verdict: string }[] }[] }

/** Buys the catalog of live services, then calls each endpoint that is listed as safe, within a budget. */
export async function run(options: AgentLoopOptions): Promise<(Purchase | Refusal)[]> {
  const { touchstoneUrl, account, budgetUsd = '0.25', onDecision } = options
  const { fetch = globalThis.fetch, timeoutMs = 3000 } = options
  const guard = createGuard({
    service: { url: touchstoneUrl, fetch, timeoutMs },
    policy: { maxTotalUsd: budgetUsd, maxPerPaymentUsd: '0.10' },
    ...(onDecision === undefined ? {} : { onDecision }),
  })
  const pay = createGuardedFetch({ account, guard, fetch })

  const answer = await pay(new URL('/trust', touchstoneUrl))
  if (!answer.ok) throw new Error(`The catalog request failed with status ${answer.status}.`)
  const { services } = (await answer.json()) as Catalog

  const results: (Purchase | Refusal)[] = []
  for (const { endpoint, method, verdict } of services.flatMap((service) => service.endpoints)) {
    if (verdict !== 'safe') continue
    try {
      const response = await pay(endpoint, { method })
      await response.arrayBuffer()
      results.push({ endpoint, outcome: response.ok ? 'bought' : 'failed', status: response.status })
    } catch (error) {
      if (!isGuardError(error)) throw error
      results.push({ endpoint, outcome: 'refused', code: error.code })
      if (error.code === 'OVER_TOTAL_LIMIT') break
    }
  }
  return results
}
