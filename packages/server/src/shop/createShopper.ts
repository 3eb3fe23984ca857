import { createGuard, type FetchLike, type GuardEvent, isGuardError, type Ledger } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { isAddress, isHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type ChainView, confirmSettlement, type SentPayment } from './confirmSettlement.ts'
import type { Shopper, ShoppingResult } from './ports.ts'

export type ShopperOptions = {
  readonly account: PrivateKeyAccount
  /** Reaches the sellers; it must refuse addresses that are not public. */
  readonly fetch: FetchLike
  /** Where verdicts are asked for, and what they name as their issuer. */
  readonly service: { readonly url: string; readonly issuer?: string }
  /** Dollars as decimal strings. */
  readonly perCallUsd: string
  readonly perDayUsd: string
  /** Remembers what was spent. The shopper closes it. */
  readonly ledger: Ledger & { close(): Promise<void> }
  /** CAIP-2 of the one network that is paid on, and a client of it. */
  readonly network: string
  readonly chain: ChainView
  /** How long the chain is asked for a settlement, in milliseconds. @default 30000 */
  readonly settlementWaitMs?: number
}

/** For one purchase with its answer. */
const DEADLINE_MS = 60_000
const BUDGET_CODES: ReadonlySet<string> = new Set(['OVER_DAY_LIMIT', 'OVER_TOTAL_LIMIT'])

/** What one purchase left behind. */
type Trace = { payment: GuardEvent['payment']; sent: SentPayment | null }

/**
 * Creates the shopper: a guarded wallet whose policy is its budget. Verdicts do not stop it, since it is sent to find
 * out what they should be; that nothing but the shown terms is paid holds for it as for anybody.
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
      onUnknown: { allowUpToUsd: perCallUsd, liveCheckUpToUsd: perCallUsd },
      pinReceivers: false,
      // The second purchase is what proves the first; after that the plan waits for a week.
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
      const headers = { accept: '*/*', ...(body !== null && { 'content-type': 'application/json' }) }
      let delivered = false
      let failure = 'the seller asked for no payment'
      let code = ''
      try {
        delivered = await isDelivery(await pay(url, { method, body, headers, signal: limited }))
      } catch (error) {
        signal.throwIfAborted()
        failure = error instanceof Error ? error.message : String(error)
        code = isGuardError(error) ? error.code : ''
      }
      const { payment, sent } = trace
      if (payment === null || sent === null) {
        return {
          kind: 'refused',
          reason: code === '' ? failure : code,
          isOutOfBudget: BUDGET_CODES.has(code),
        }
      }
      const txHash = await confirmSettlement(chain, sent, {
        waitMs: options.settlementWaitMs ?? 30_000,
        signal,
      }).catch((error: unknown) => {
        signal.throwIfAborted()
        // A chain that does not answer proves nothing against anybody.
        void error
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
      } satisfies ShoppingResult
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

/** Whether an answer is a 2xx with at least one byte; the rest of it is nobody's business. */
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
