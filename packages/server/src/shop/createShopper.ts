import { randomUUID } from 'node:crypto'
import {
  CALL_KEY_HEADER,
  createGuard,
  type FetchLike,
  type GuardEvent,
  isGuardError,
  type Ledger,
  type VerdictState,
} from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { canonicalizeUrl, findNetwork, usdToAtomic } from '@touchstone402/shared'
import { erc20Abi, isAddress, isHex } from 'viem'
import type { Config } from '../config/config.ts'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import type { Context } from '../context.ts'
import type { Purchase } from '../facts/facts.ts'
import type { ShopperAccounts } from './accounts.ts'
import { type ChainView, confirmSettlement, type SentPayment } from './confirmSettlement.ts'
import { declaresJson } from './declaresJson.ts'
import { keepDearest } from './keepDearest.ts'
import { NO_DELIVERY, readDelivery } from './readDelivery.ts'

/** The call of a test purchase. */
export type Call = { readonly url: string; readonly method: string; readonly body: string | null }

/** The result of a test purchase. */
export type ShoppingResult =
  /** Nothing was paid: no payment was asked for, the guard or the budget refused, or the seller did not answer. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isOutOfBudget: boolean }
  | ({ readonly kind: 'bought' } & Pick<
      Purchase,
      | 'network'
      | 'payTo'
      | 'amountAtomic'
      | 'settled'
      | 'delivered'
      | 'txHash'
      | 'askedAt'
      | 'answeredAt'
      | 'httpStatus'
      | 'excerpt'
    > & {
        /** Number of the account that paid. */
        readonly account: number
      })

/** A purchase above the usual price per call, for which one receiver alone is paid. */
export type DearTerms = {
  /** Maximum price in dollars, as a decimal string. */
  readonly usd: string
  readonly payTo: string
  /** Whether the seller paid for it in advance, so that the limit per day does not count it. */
  readonly isFunded: boolean
  /** Called before the payment is sent. */
  readonly onSent?: () => void
}

/** Makes test purchases with the operator's money, within limits that survive a restart. */
export type Shopper = {
  /** Maximum price per call, and limit per day, in dollars as decimal strings. */
  readonly limits: ShoppingLimits
  /** Whether the account that pays now holds the price of a call. @param priceUsd @default the maximum price per call */
  isFunded(priceUsd?: string): Promise<boolean>
  /**
   * Buys one call. Rejects only if the signal fires or the ledger is lost.
   * @param dear terms of a purchase above the price per call. @default none
   */
  buy(call: Call, signal: AbortSignal, dear?: DearTerms): Promise<ShoppingResult>
  close(): Promise<void>
}

/** Spending limits of test purchases. */
type ShoppingLimits = Pick<ShopperConfig, 'perCallUsd' | 'perDayUsd'>

export type ShopperOptions = {
  readonly accounts: Pick<ShopperAccounts, 'current' | 'notePayment'>
  /** Fetches from sellers; must refuse non-public addresses. */
  readonly fetch: FetchLike
  /** The service that issues verdicts. */
  readonly service: { readonly url: string }
  /**
   * Reads a verdict of this service from its store, by the clock of the audit. @default the service is asked, whose
   * verdicts are read by real time
   */
  readonly verdictOf?: ((endpoint: string) => Promise<VerdictState>) | undefined
  readonly limits: ShoppingLimits
  /** Records spending. Closed by the shopper. */
  readonly ledger: Ledger & { close(): Promise<void> }
  /** Records what sellers funded, apart from the usual spending, whose limit it must not use up. Closed likewise. */
  readonly fundedLedger: Ledger & { close(): Promise<void> }
  readonly chain: ChainView
}

/** Limit per day of funded purchases: none, since each was paid for in advance and is made once. */
const FUNDED_PER_DAY_USD = '1000000'
/** Timeout of one purchase, response included. */
const DEADLINE_MS = 60_000
/** Maximum wait for a settlement on chain. */
const SETTLEMENT_WAIT_MS = 30_000
const BUDGET_CODES: ReadonlySet<string> = new Set(['OVER_DAY_LIMIT', 'OVER_TOTAL_LIMIT'])

/** The approved and sent payment of one purchase. */
type Trace = {
  payment: GuardEvent['payment']
  sent: SentPayment | null
  /** Whether the challenge declares that the answer is JSON. */
  expectsJson: boolean
}

const NOTHING_YET: Trace = { payment: null, sent: null, expectsJson: false }

/**
 * Creates the shopper: a guarded wallet whose policy is its budget. Verdicts do not block it, since its purchases
 * inform them; payments are still limited to the terms shown.
 */
export function createShopper(
  { clock, config }: Pick<Context, 'clock'> & { readonly config: Pick<Config, 'network'> },
  options: ShopperOptions,
): Shopper {
  const { accounts, limits, ledger, fundedLedger, chain, verdictOf } = options
  const { perCallUsd, perDayUsd } = limits
  const { network } = config
  const usdc = findNetwork(network)?.usdc ?? ''
  /** Creates the guard of one purchase, which notes in a trace what is paid. */
  const createBuyer = (trace: Trace, verdict: VerdictState, dear: DearTerms | undefined) => {
    const isFunded = dear?.isFunded === true
    const spending = isFunded ? fundedLedger : ledger
    const perPayment = dear?.usd ?? perCallUsd
    const perDay = isFunded ? FUNDED_PER_DAY_USD : perDayUsd
    return createGuard({
      service:
        verdictOf === undefined
          ? options.service
          : { ...options.service, mode: 'map', map: { get: () => verdict, ready: async () => {} } },
      ledger: {
        ...spending,
        async update(id, change) {
          // Counted before it is sent, so that no crash gives an account more payments.
          if ('state' in change && change.state === 'sent') {
            await accounts.notePayment()
            trace.sent = toSentPayment(trace, change.authorization)
            dear?.onSent?.()
          }
          await spending.update(id, change)
        },
      },
      policy: {
        networks: [network],
        maxPerPaymentUsd: perPayment,
        maxPerHostPerDayUsd: perDay,
        maxPerDayUsd: perDay,
        block: [],
        allowReceivers: dear === undefined ? [] : [dear.payTo],
        onCaution: 'allow',
        onUnknown: {
          allowUpToUsd: perPayment,
          liveCheckUpToUsd: perPayment,
          maxPerDomainPerDayUsd: perDay,
          maxPerDayUsd: perDay,
        },
        pinReceivers: false,
        // Allow repeats: a second failed purchase confirms the first, and the plan then waits a week.
        maxStrikes: 1000,
        newSeller: { priceFactor: 1000 },
      },
      onDecision(event) {
        if (event.type === 'allowed') trace.payment = event.payment
      },
    })
  }

  return {
    limits,
    async close() {
      await ledger.close()
      await fundedLedger.close()
    },
    async isFunded(priceUsd = perCallUsd) {
      if (!isAddress(usdc)) return true
      const { account } = await accounts.current()
      const call = {
        address: usdc,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [account.address],
      } as const
      return (await chain.readContract(call)) >= usdToAtomic(priceUsd)
    },
    async buy({ url, method, body }, signal, dear) {
      const trace: Trace = { ...NOTHING_YET }
      const { account, index } = await accounts.current()
      const verdict = (await verdictOf?.(canonicalizeUrl(url).key)) ?? UNREAD
      /** Notes what a challenge declares before the guard reads it. */
      const fetchNoting: FetchLike = async (input, init) => {
        const response = await options.fetch(input, init)
        if (response.status !== 402 || trace.sent !== null) return response
        trace.expectsJson = await declaresJson(response.clone())
        return dear === undefined ? response : keepDearest(response, network, usdToAtomic(dear.usd))
      }
      const guard = createBuyer(trace, verdict, dear)
      const pay = createGuardedFetch({ guard, account, fetch: fetchNoting })
      const limited = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
      // Nothing else, so that the request is that of a stock client; the guard keeps the key to itself.
      const headers = {
        // A new purchase, never a retry of the undelivered one before.
        [CALL_KEY_HEADER]: randomUUID(),
        ...(body !== null && { 'content-type': 'application/json' }),
      }
      const askedAt = clock.now()
      let answeredAt: number | null = null
      let delivery = NO_DELIVERY
      let failure = 'no payment requested'
      let code = ''
      try {
        delivery = await readDelivery(
          await pay(url, { method, body, headers, signal: limited }),
          trace.expectsJson,
        )
        answeredAt = clock.now()
      } catch (error) {
        signal.throwIfAborted()
        failure = error instanceof Error ? error.message : String(error)
        code = isGuardError(error) ? error.code : ''
        if (code === 'PAYMENT_NOT_ACCEPTED') delivery = { ...NO_DELIVERY, httpStatus: 402 }
      }
      const { payment, sent } = trace
      if (payment === null || sent === null)
        return { kind: 'refused', reason: code || failure, isOutOfBudget: BUDGET_CODES.has(code) }
      const wait = { waitMs: SETTLEMENT_WAIT_MS, signal }
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
        txHash,
        askedAt,
        answeredAt,
        ...delivery,
        account: index,
      }
    },
  }
}

const UNREAD: VerdictState = { state: 'unavailable', detail: 'The endpoint is not known.', lastSeen: null }

function toSentPayment(
  { payment }: Trace,
  authorization: { from: string; nonce: string } | null,
): SentPayment | null {
  if (payment === null || authorization === null) return null
  const { from, nonce } = authorization
  const { asset } = payment
  return isAddress(asset) && isAddress(from) && isHex(nonce) ? { asset, authorizer: from, nonce } : null
}
