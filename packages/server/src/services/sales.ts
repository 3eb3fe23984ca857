import { OPERATIONS, PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { messageOf } from '../errors.ts'
import { UNCHARGED_CALLS } from '../payments/attempts.ts'
import { RECONCILE_EVERY_MS } from '../payments/claimTimes.ts'
import { createConfirmation } from '../payments/createConfirmation.ts'
import { createHedgedChain } from '../payments/createHedgedChain.ts'
import { createPaywall } from '../payments/createPaywall.ts'
import { createSettlementWatch, type SettlementWatch } from '../payments/createSettlementWatch.ts'
import {
  checkFacilitator,
  createFacilitator,
  FACILITATOR_LIMITS,
  type Facilitator,
} from '../payments/facilitator.ts'
import type { UseReader } from '../payments/findUse.ts'
import { type PaymentFault, receiptOf } from '../payments/outcomes.ts'
import type { OnOwed } from '../payments/owedCalls.ts'
import type { Paywall } from '../payments/paywall.ts'
import { createSignatureCheck } from '../payments/signature.ts'
import { withBreaker } from '../payments/withBreaker.ts'
import type { Store } from '../store/store.ts'
import type { Audit } from './audit.ts'
import { watchConfirmation } from './health/checkConfirmation.ts'
import { watchFacilitator } from './health/checkFacilitator.ts'
import type { Check } from './health/createHealth.ts'
import type { Scope } from './scope.ts'

/** The paywall, its prices in dollars, and the checks of what is behind it. */
export type Sales = {
  readonly paywall: Paywall
  readonly prices: Record<PaidOperationId, string>
  readonly checks: readonly Check[]
  /** Counts the calls that a stop cuts off. */
  noteCut(): void
}

/** Maximum waits for the chain before an answer, in ms. */
const CONFIRMATION_LIMITS = {
  waitMs: 20_000,
  reachMs: 3000,
  searchMs: 10_000,
}
/** Time that an RPC is given before the next is asked beside it, in ms. */
const RPC_PATIENCE_MS = 1000

/**
 * Opens the paywall, and reconciles payments with the chain until the process stops.
 * @param source of the chain that payments are settled on
 * @throws Error if the facilitator does not settle on the network
 */
export async function openSales(scope: Scope, ctx: Context, source: Audit['source']): Promise<Sales> {
  const { config, log, metrics, store: claims } = ctx
  const prices = allPrices(config)
  const watched = watchFacilitator(
    traceSettlements(
      scope,
      createFacilitator({
        url: config.facilitatorUrl,
        headers: config.facilitatorHeaders,
        ...FACILITATOR_LIMITS,
      }),
    ),
    config.network,
  )
  const facilitator = withBreaker(watched.facilitator)
  const { rpcs, chainId } = source.countedAs('settlements')
  const chain = createHedgedChain({ rpcs, chainId, patienceMs: RPC_PATIENCE_MS })
  const onOwed: OnOwed = (claim) => {
    const { txHash } = claim
    const receipt = receiptOf(claim)
    metrics.paymentFault({ step: 'late' })
    log(
      'warn',
      `payment ${receipt}: settled in ${txHash} without an answer; the next equal call of its payer is not charged`,
      { event: 'payment_owed', receipt, txHash },
    )
  }
  const confirming = watchConfirmation(
    createConfirmation({
      chain,
      confirm: config.confirmSettlements,
      isTrusted: watchSettlements(scope, claims, chain, onOwed).isTrusted,
      now: Date.now,
      ...CONFIRMATION_LIMITS,
    }),
  )
  const { paywall, noteCut } = followCalls(
    scope,
    createPaywall({
      facilitator,
      claims,
      confirmation: confirming.confirmation,
      payTo: config.payTo,
      network: config.network,
      prices,
      publicUrl: config.publicUrl,
      speaksV1: await requireFacilitator(facilitator, scope),
      ...UNCHARGED_CALLS,
      isSignedByPayer: createSignatureCheck(),
      now: Date.now,
      onSale: metrics.sale,
      onFault: ({ step, cause, receipt, requestId }) => {
        metrics.paymentFault({ step })
        const reason = messageOf(cause)
        const fields = { event: 'payment_failed', step, reason, receipt, requestId }
        // Equal lines are merged: what a facilitator says may differ each time.
        log('warn', SENTENCES[step], fields)
      },
      onOwed,
    }),
  )
  return { paywall, prices, checks: [watched.check, confirming.check], noteCut }
}

function traceSettlements({ trace }: Scope, facilitator: Facilitator): Facilitator {
  const { host } = new URL(facilitator.url)
  return {
    ...facilitator,
    settle: (call) =>
      trace(
        'settle',
        { 'server.address': host },
        () => facilitator.settle(call),
        (settlement) => ('cause' in settlement ? settlement.cause : undefined),
      ),
  }
}

/** Log messages of payment faults. Causes are in the fields. */
const SENTENCES: Readonly<Record<PaymentFault['step'], string>> = {
  verify: 'the facilitator did not verify a payment; the call was refused without a charge',
  settle: 'the facilitator gave no usable answer to a settlement; the chain decides',
  denied: 'the facilitator denied a settlement, and the chain shows none; the call was refused',
  contradicted: 'the facilitator denied a settlement that the chain shows; the call was answered',
  confirm: 'the chain did not confirm a payment in time; the call was refused',
  claim: 'a payment could not be recorded',
  handler: 'the handler of a paid call failed; nothing was charged',
}

/** Follows calls that carry a payment. */
function followCalls({ lose, log }: Scope, paywall: Paywall) {
  const open = new Set<{ isMade: boolean }>()
  const sell: Paywall['sell'] = async (request, produce) => {
    if (request.paymentSignature === undefined && request.xPayment === undefined)
      return paywall.sell(request, produce)
    const call = { isMade: false }
    open.add(call)
    try {
      return await paywall.sell(request, async (...args) => {
        const production = await produce(...args)
        call.isMade = production.ok
        return production
      })
    } finally {
      open.delete(call)
    }
  }
  return {
    paywall: { sell },
    noteCut() {
      const made = [...open].filter(({ isMade }) => isMade).length
      const unmade = open.size - made
      if (unmade > 0) lose(`${unmade} paid calls cut before their answer, uncharged`)
      if (made > 0)
        log('warn', `stop: ${made} paid calls cut during settlement: reconciliation ends them`, {
          event: 'calls_cut',
          made,
        })
    },
  }
}

/** Checks settlements against the chain now and every 30 s until the process stops. */
function watchSettlements(scope: Scope, claims: Store, chain: UseReader, onOwed: OnOwed): SettlementWatch {
  const { config, log, metrics } = scope
  let cause: unknown
  const watch = createSettlementWatch({
    claims,
    chain,
    network: config.network,
    now: Date.now,
    onOwed,
    onMissing: (claim) => {
      metrics.paymentFault({ step: 'missing' })
      const fields = { event: 'payment_missing', receipt: receiptOf(claim), txHash: claim.txHash }
      log(
        'warn',
        `payment ${fields.receipt}: reported as settled in ${claim.txHash}, but not on chain`,
        fields,
      )
    },
    facilitatorUrl: config.facilitatorUrl,
    onDistrust: ({ missing, overdue }) =>
      log(
        'warn',
        `settlements by ${new URL(config.facilitatorUrl).origin}: ${missing} missing, ${overdue} unconfirmed for 5 minutes; paid calls wait for the chain`,
        { event: 'facilitator_distrusted', missing, overdue },
      ),
    onError: (_, error) => {
      cause = error
    },
  })
  scope.every(RECONCILE_EVERY_MS, 'reconcile', async () => {
    const { failed = 0, used = 0 } = (await watch.check()) ?? {}
    // One line a round, because an outage fails for every payment.
    if (failed + used > 0) {
      const [payments, reason] = [failed + used, messageOf(cause ?? 'no trace')]
      const fields = { event: 'payments_unconfirmed', payments, reason }
      log('warn', `${payments} payments cannot be confirmed on chain: ${reason}`, fields)
    }
    cause = undefined
  })
  return watch
}

/** Checks the facilitator. Returns whether it settles v1, which is assumed while it is unreachable. */
async function requireFacilitator(facilitator: Facilitator, { config }: Scope): Promise<boolean> {
  const check = await checkFacilitator(facilitator, config.network)
  if (check.kind === 'unsuitable') throw new Error(check.message)
  return check.kind === 'ok' ? check.speaksV1 : true
}

function allPrices(config: Config): Record<PaidOperationId, string> {
  const prices = { ...config.prices }
  for (const id of PAID_OPERATIONS) prices[id] ??= OPERATIONS[id].priceUsd
  return prices as Record<PaidOperationId, string>
}
