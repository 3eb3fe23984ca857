import { OPERATIONS, PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import { checkFacilitator } from '../adapters/payments/checkFacilitator.ts'
import { createPaywall } from '../adapters/payments/createPaywall.ts'
import { createFacilitator, type Facilitator } from '../adapters/payments/facilitator.ts'
import { type ReconcileOptions, reconcileClaims } from '../adapters/payments/reconcileClaims.ts'
import { withBreaker } from '../adapters/payments/withBreaker.ts'
import type { Config } from '../config/config.ts'
import type { ClaimStore } from '../ports/claims.ts'
import type { Paywall } from '../ports/paywall.ts'
import type { Scope } from './scope.ts'

/** The paywall and its prices in dollars. */
export type Sales = { readonly paywall: Paywall; readonly prices: Record<PaidOperationId, string> }

const RECONCILE_EVERY_MS = 30_000

/**
 * Opens the paywall.
 * @throws Error if the facilitator does not settle on the network
 */
export async function openSales(scope: Scope, claims: ClaimStore): Promise<Sales> {
  const { config, log, metrics } = scope
  const prices = allPrices(config)
  const facilitator = withBreaker(
    createFacilitator({ url: config.facilitatorUrl, headers: config.facilitatorHeaders }),
  )
  const paywall = createPaywall({
    facilitator,
    claims,
    payTo: config.payTo,
    network: config.network,
    prices,
    publicUrl: config.publicUrl,
    speaksV1: await requireFacilitator(facilitator, scope),
    onSale: metrics.sale,
    onFault: ({ step, receipt }) => {
      metrics.paymentFault({ step })
      log('warn', `payment ${receipt}: ${step} failed`)
    },
  })
  return { paywall, prices }
}

/** Reconciles open payments with the chain every 30 s until the process stops. Several processes may. */
export function keepReconciling(scope: Scope, claims: ClaimStore, chain: ReconcileOptions['chain']): void {
  const { network } = scope.config
  const reconcile = () => void reconcileClaims({ claims, chain, network }).catch(scope.warn('reconcile'))
  const timer = setInterval(reconcile, RECONCILE_EVERY_MS)
  scope.onStop(() => clearInterval(timer))
}

/** Checks the facilitator. Returns whether it settles v1, which is assumed while it is unreachable. */
async function requireFacilitator(facilitator: Facilitator, { config, warn }: Scope): Promise<boolean> {
  const check = await checkFacilitator(facilitator, config.network)
  if (check.kind === 'unsuitable') throw new Error(check.message)
  if (check.kind === 'unreachable') warn(`facilitator ${facilitator.url}`)(check.cause)
  return check.kind === 'ok' ? check.speaksV1 : true
}

function allPrices(config: Config): Record<PaidOperationId, string> {
  const prices = { ...config.prices }
  for (const id of PAID_OPERATIONS) prices[id] ??= OPERATIONS[id].priceUsd
  return prices as Record<PaidOperationId, string>
}
