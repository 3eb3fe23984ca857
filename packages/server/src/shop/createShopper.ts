import { randomUUID } from 'node:crypto'
import {
  CALL_KEY_HEADER,
  createGuard,
  type FetchLike,
  type GuardEvent,
  isGuardError,
  type Ledger,
} from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { isAddress, isHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Purchase } from '../domain/facts/facts.ts'
import { type ChainView, confirmSettlement, type SentPayment } from './confirmSettlement.ts'

/** The call of a test purchase. */
export type Call = { readonly url: string; readonly method: string; readonly body: string | null }

/** The result of a test purchase. */
export type ShoppingResult =
  /** Nothing was paid: no payment was asked for, the guard or the budget refused, or the seller did not answer. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isOutOfBudget: boolean }
  | ({ readonly kind: 'bought' } & Pick<
      Purchase,
      'network' | 'payTo' | 'amountAtomic' | 'settled' | 'delivered' | 'txHash'
    >)

/** Makes test purchases with the operator's money, within limits that survive a restart. */
export type Shopper = {
  /** Maximum price per call in dollars. */
  readonly perCallUsd: number
  /** Buys one call. Rejects only if the signal fires or the ledger is lost. */
  buy(call: Call, signal: AbortSignal): Promise<ShoppingResult>
  close(): Promise<void>
}

export type ShopperOptions = {
  readonly account: PrivateKeyAccount
  /** Fetches from sellers; must refuse non-public addresses. */
  readonly fetch: FetchLike
  /** The service that issues verdicts. */
  readonly service: { readonly url: string; readonly issuer?: string }
  /** Limits in dollars as decimal strings. */
  readonly perCallUsd: string
  readonly perDayUsd: string
  /** Records spending. Closed by the shopper. */
  readonly ledger: Ledger & { close(): Promise<void> }
  /** CAIP-2 id of the only network to pay on. */
  readonly network: string
  readonly chain: ChainView
  /** Maximum wait for a settlement on chain, in milliseconds. @default 30000 */
  readonly settlementWaitMs?: number
}

/** Timeout of one purchase, response included. */
const DEADLINE_MS = 60_000
const BUDGET_CODES: ReadonlySet<string> = new Set(['OVER_DAY_LIMIT', 'OVER_TOTAL_LIMIT'])

/** The approved and sent payment of the current purchase. */
type Trace = { payment: GuardEvent['payment']; sent: SentPayment | null }

/**
 * Creates the shopper: a guarded wallet whose policy is its budget. Verdicts do not block it, since its purchases
 * inform them; payments are still limited to the terms shown.
 */
export function createShopper(options: ShopperOptions): Shopper {
  const { account, perCallUsd, perDayUsd, ledger, network, chain } = options
  let trace: Trace = { payment: null, sent: null }
  const guard = createGuard({
    service: options.service,
    ledger: {
      ...ledger,
      async update(id, change) {
        if ('state' in change && change.state === 'sent')
          trace.sent = toSentPayment(trace, change.authorization)
        await ledger.update(id, change)
      },
    },
    policy: {
      networks: [network],
      maxPerPaymentUsd: perCallUsd,
      maxPerHostPerDayUsd: perDayUsd,
      maxPerDayUsd: perDayUsd,
      block: [],
      onCaution: 'allow',
      onUnknown: {
        allowUpToUsd: perCallUsd,
        liveCheckUpToUsd: perCallUsd,
        maxPerDomainPerDayUsd: perDayUsd,
        maxPerDayUsd: perDayUsd,
      },
      pinReceivers: false,
      // Allow repeats: a second failed purchase confirms the first, and the plan then waits a week.
      maxStrikes: 1000,
    },
    onDecision(event) {
      if (event.type === 'allowed') trace.payment = event.payment
    },
  })
  const pay = createGuardedFetch({ guard, account, fetch: options.fetch })

  return {
    perCallUsd: Number(perCallUsd),
    close: () => ledger.close(),
    async buy({ url, method, body }, signal) {
      trace = { payment: null, sent: null }
      const limited = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
      const headers = {
        accept: '*/*',
        // A purchase of its own, never a retry of the one before that was not delivered.
        [CALL_KEY_HEADER]: randomUUID(),
        ...(body !== null && { 'content-type': 'application/json' }),
      }
      let delivered = false
      let failure = 'no payment requested'
      let code = ''
      try {
        delivered = await isDelivery(await pay(url, { method, body, headers, signal: limited }))
      } catch (error) {
        signal.throwIfAborted()
        failure = error instanceof Error ? error.message : String(error)
        code = isGuardError(error) ? error.code : ''
      }
      const { payment, sent } = trace
      if (payment === null || sent === null)
        return { kind: 'refused', reason: code || failure, isOutOfBudget: BUDGET_CODES.has(code) }
      const wait = { waitMs: options.settlementWaitMs ?? 30_000, signal }
      const txHash = await confirmSettlement(chain, sent, wait).catch(() => {
        signal.throwIfAborted()
        // Without an answer from the chain, the payment counts as not settled.
        return null
      })
      const { payTo, amountAtomic } = payment
      return {
        kind: 'bought',
        network: payment.network,
        payTo,
        amountAtomic,
        settled: txHash !== null,
        delivered,
        txHash,
      }
    },
  }
}

function toSentPayment(
  { payment }: Trace,
  authorization: { from: string; nonce: string } | null,
): SentPayment | null {
  if (payment === null || authorization === null) return null
  const { from, nonce } = authorization
  const { asset } = payment
  return isAddress(asset) && isAddress(from) && isHex(nonce) ? { asset, authorizer: from, nonce } : null
}

/** Whether a response is a 2xx with at least one byte. The rest is not read. */
async function isDelivery(response: Response): Promise<boolean> {
  const reader = response.body?.getReader()
  try {
    if (!response.ok || reader === undefined) return false
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (read.value.byteLength > 0) return true
    }
    return false
  } finally {
    await reader?.cancel().catch(() => {})
  }
}
