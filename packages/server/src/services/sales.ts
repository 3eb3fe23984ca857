import type { Chain } from '@touchstone402/transfers'
import { listRpcs } from '../chain/listRpcs.ts'
import type { Context } from '../context.ts'
import { UNCHARGED_CALLS } from '../payments/attempts.ts'
import { RECONCILE_EVERY_MS } from '../payments/claimTimes.ts'
import { CONFIRMATION_LIMITS, createConfirmation } from '../payments/createConfirmation.ts'
import { createHedgedChain } from '../payments/createHedgedChain.ts'
import { createPaywall } from '../payments/createPaywall.ts'
import { createSettlementWatch } from '../payments/createSettlementWatch.ts'
import {
  checkFacilitator,
  createFacilitator,
  FACILITATOR_LIMITS,
  type Facilitator,
} from '../payments/facilitator.ts'
import type { PaymentContext } from '../payments/paymentContext.ts'
import type { Paywall } from '../payments/paywall.ts'
import { createSignatureCheck } from '../payments/signature.ts'
import { withBreaker } from '../payments/withBreaker.ts'
import { watchConfirmation } from './health/checkConfirmation.ts'
import { watchFacilitator } from './health/checkFacilitator.ts'
import type { Check } from './health/createHealth.ts'
import type { Scope } from './scope.ts'

/** The paywall, and the checks of what is behind it. */
export type Sales = {
  readonly paywall: Paywall
  readonly checks: readonly Check[]
  /** Counts the calls that a stop cuts off. */
  noteCut(): void
}

/** Time that an RPC is given before the next is asked beside it, in ms. */
const RPC_PATIENCE_MS = 1000

/**
 * Opens the paywall, and reconciles payments with the chain until the process stops.
 * @param chain that payments are settled on
 * @throws Error if the facilitator does not settle on the network
 */
export async function openSales(scope: Scope, ctx: Context, chain: Chain): Promise<Sales> {
  const { config } = ctx
  const { facilitatorUrl: url, facilitatorHeaders: headers, network } = config
  const payments: PaymentContext = { ...ctx, now: Date.now }
  const watched = watchFacilitator(
    traceSettlements(scope, createFacilitator({ url, headers, ...FACILITATOR_LIMITS })),
    network,
  )
  const facilitator = withBreaker(watched.facilitator)
  const hedged = createHedgedChain({
    rpcs: listRpcs(chain, 'settlements'),
    chainId: chain.chainId,
    patienceMs: RPC_PATIENCE_MS,
  })
  const watch = createSettlementWatch(payments, hedged)
  scope.every(RECONCILE_EVERY_MS, 'reconcile', async () => void (await watch.check()))
  const confirming = watchConfirmation(
    createConfirmation(payments, { chain: hedged, isTrusted: watch.isTrusted, ...CONFIRMATION_LIMITS }),
  )
  const { paywall, noteCut } = followCalls(
    scope,
    ctx,
    createPaywall(payments, {
      facilitator,
      confirmation: confirming.confirmation,
      speaksV1: await requireFacilitator(facilitator, ctx),
      uncharged: UNCHARGED_CALLS,
      isSignedByPayer: createSignatureCheck(),
    }),
  )
  return { paywall, checks: [watched.check, confirming.check], noteCut }
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

/** Follows calls that carry a payment. */
function followCalls({ lose }: Scope, { log }: Context, paywall: Paywall) {
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

/** Checks the facilitator. Returns whether it settles v1, which is assumed while it is unreachable. */
async function requireFacilitator(facilitator: Facilitator, { config }: Context): Promise<boolean> {
  const check = await checkFacilitator(facilitator, config.network)
  if (check.kind === 'unsuitable') throw new Error(check.message)
  return check.kind === 'ok' ? check.speaksV1 : true
}
