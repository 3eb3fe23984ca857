import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { messageOf } from '../lib/errors.ts'
import type { OpenClaim } from '../store/claims.ts'
import { readUnsettled } from '../store/claims.ts'
import { type UseReader, VOID_MARGIN_SECONDS } from './findUse.ts'
import { receiptOf } from './outcomes.ts'
import type { PaymentContext } from './paymentContext.ts'
import { type Observations, type Reconciliation, reconcileClaims } from './reconcileClaims.ts'

/** Checks what the facilitator reported against the chain, and whether it can still be trusted. */
export type SettlementWatch = {
  /** Returns whether the facilitator is trusted; false until the claims have been read, so that a restart forgets nothing. */
  isTrusted(): boolean
  /** Reconciles all payments with the chain, and drops those that were never settled and expired. Returns null if that is under way already. */
  check(): Promise<Reconciliation | null>
}

/** Evidence against the facilitator's reports. */
type Doubts = {
  /** Number of its settlements that are missing, of the last 30 days. */
  readonly missing: number
  /** Number of reported settlements that the chain has neither shown nor denied for five minutes. */
  readonly overdue: number
}

/** Number of missing settlements from which on a facilitator is not trusted. */
const DISTRUSTED_FROM = 3
/** How long a missing settlement counts. */
const COUNTS_MS = 30 * DAY
/** Age of a reported settlement from which on an RPC that is down, or stands still, no longer excuses it. */
const OVERDUE_MS = 5 * MINUTE

/** Maximum number of refused claims that are looked up in a round. */
const MAX_REFUSED = 200

/**
 * Creates the watch over the facilitator in use; what others reported does not speak against it. Several processes may
 * watch the same claims.
 * @param chain client of the network
 */
export function createSettlementWatch(
  ctx: Pick<PaymentContext, 'config' | 'log' | 'metrics' | 'now' | 'store'>,
  chain: UseReader,
): SettlementWatch {
  const { config, log, now, store } = ctx
  const facilitator = new URL(config.facilitatorUrl).origin
  const observations: Observations = new Map()
  let doubts: Doubts | null = null
  let isRunning = false

  const doubt = (next: Doubts) => {
    const wasTrusted = doubts === null || isTrustworthy(doubts)
    doubts = next
    if (!wasTrusted || isTrustworthy(next)) return
    const { missing, overdue } = next
    log(
      'warn',
      `settlements by ${facilitator}: ${missing} missing, ${overdue} unconfirmed for 5 minutes; paid calls wait for the chain`,
      { event: 'facilitator_distrusted', missing, overdue },
    )
  }
  const weigh = (open: readonly OpenClaim[], at: number): Doubts => {
    const counts = { missing: 0, overdue: 0 }
    for (const claim of open) {
      const result = observations.get(receiptOf(claim))?.result
      if (result === 'settled' || result === 'owed') continue
      if (claim.state === 'missing' || result === 'missing') {
        if (claim.facilitator === facilitator && claim.updatedAt > at - COUNTS_MS) counts.missing += 1
      } else if (claim.state === 'reported' && result !== 'used' && claim.updatedAt < at - OVERDUE_MS) {
        counts.overdue += 1
      }
    }
    return counts
  }
  /**
   * Returns whether a claim is checked now: a refused one at growing intervals until it expires, and for a day each hour
   * one that expired and is missing, or was used out of sight.
   */
  const isDue = (claim: OpenClaim, at: number): boolean => {
    const observation = observations.get(receiptOf(claim))
    if (at <= (claim.validBefore + VOID_MARGIN_SECONDS) * 1000)
      return (
        claim.state !== 'refused' || at - claim.updatedAt >= 2 * ((observation?.at ?? 0) - claim.updatedAt)
      )
    if (claim.state !== 'missing' && observation?.result !== 'used') return true
    return (claim.state === 'refused' || at - claim.updatedAt < DAY) && at - (observation?.at ?? 0) >= HOUR
  }

  return {
    isTrusted: () => doubts !== null && isTrustworthy(doubts),
    async check() {
      const at = now()
      const open = (await readUnsettled(store)).filter(({ network }) => network === config.network)
      // Before the chain is read, which may take long or fail.
      doubt(weigh(open, at))
      if (isRunning) return null
      isRunning = true
      try {
        const receipts = new Set(open.map(receiptOf))
        for (const receipt of observations.keys()) if (!receipts.has(receipt)) observations.delete(receipt)
        const due = capRefused(open.filter((claim) => isDue(claim, at)))
        const { results, cause } = await reconcileClaims(ctx, chain, due, { at, observations })
        doubt(weigh(open, now()))
        // Payments of empty wallets would fill the store.
        await store.write('dropExpiredPayments', at - VOID_MARGIN_SECONDS * 1000)
        const payments = results.failed + results.used
        // One line a round, because an outage fails for every payment.
        if (payments > 0) {
          const reason = messageOf(cause ?? 'no trace')
          log('warn', `${payments} payments cannot be confirmed on chain: ${reason}`, {
            event: 'payments_unconfirmed',
            payments,
            reason,
          })
        }
        return results
      } finally {
        isRunning = false
      }
    },
  }
}

/** Leaves out refused claims above the limit of a round, those that expire last. */
function capRefused(claims: readonly OpenClaim[]): OpenClaim[] {
  const refused = claims
    .filter(({ state }) => state === 'refused')
    .sort((a, b) => a.validBefore - b.validBefore)
    .slice(0, MAX_REFUSED)
  return [...claims.filter(({ state }) => state !== 'refused'), ...refused]
}

function isTrustworthy({ missing, overdue }: Doubts): boolean {
  return missing < DISTRUSTED_FROM && overdue === 0
}
