import { canonicalizeUrl, decodeChallenge, formatUsdc, type Offer } from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import { hostTerms } from '../decide/hosts.ts'
import { decide } from '../decide/policy.ts'
import type { Policy } from '../decide/policySchema.ts'
import { registrableDomain } from '../decide/registrableDomain.ts'
import type { GuardEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import { applyUpdate } from './applyUpdate.ts'
import { addEntry, createLedgerState, viewState } from './ledgerState.ts'

/**
 * Effect of another policy on the recorded payments of a ledger.
 * @example
 * const summary = ({ blocked, savedUsd }: Replay) => `${blocked.length} blocked, $${savedUsd} saved`
 */
export type Replay = {
  /** Recorded payments. */
  payments: number
  /** Payments that the policy would have refused. */
  blocked: { at: number; endpoint: string; amountUsd: string; code: ReasonCode }[]
  /** Payments that the policy would have asked about. */
  asked: number
  /** Refused payments that the policy would have allowed. */
  allowed: { at: number; endpoint: string; amountUsd: string }[]
  /** Dollars of the blocked payments. */
  savedUsd: string
}

/**
 * Applies another policy to the recorded decisions of a ledger.
 * @example
 * const { events } = await verifyLedger('spending.jsonl')
 * const { savedUsd } = replayPolicy(parsePolicy({ minScore: 80 }), events)
 */
export function replayPolicy(policy: Policy, events: Iterable<GuardEvent>): Replay {
  const replay: Replay = { payments: 0, blocked: [], asked: 0, allowed: [], savedUsd: '0' }
  const state = createLedgerState()
  let saved = 0n
  let count = 0
  for (const { type, endpoint, payment, at, method, verdict, code } of events) {
    if ((type !== 'allowed' && type !== 'refused') || endpoint === null || payment === null) continue
    const wasAllowed = type === 'allowed'
    const url = canonicalizeUrl(endpoint)
    const { network, asset, payTo, amountUsd, amountAtomic } = payment
    const place = { host: url.host, domain: registrableDomain(url.hostname), endpoint }
    const query = { ...place, call: `${method} ${endpoint}`, network, asset, payTo, task: null, agent: null }
    const limits = budgetLimits(policy, undefined, verdict === null, hostTerms(policy, url))
    const decision = decide({
      policy,
      url,
      method,
      challenge: challengeOf(payment),
      verdict:
        code === 'VERDICT_UNAVAILABLE'
          ? { state: 'unavailable', detail: '', lastSeen: null }
          : verdict && { state: 'signed', verdict },
      ledger: () => viewState(state, query, limits, at),
    })
    const { outcome, chosen } = decision
    const isAllowed = outcome === 'allow' || (wasAllowed && outcome === 'ask')
    if (wasAllowed) replay.payments += 1
    if (wasAllowed && outcome === 'ask') replay.asked += 1
    if (decision.outcome !== 'allow' && wasAllowed && !isAllowed) {
      replay.blocked.push({ at, endpoint, amountUsd, code: decision.code })
      saved += chosen?.usdMicros ?? BigInt(amountAtomic)
    }
    if (!wasAllowed && isAllowed) replay.allowed.push({ at, endpoint, amountUsd })
    if (chosen === undefined || !isAllowed) continue
    count += 1
    const { usdMicros } = chosen
    const isVouched = decision.outcome !== 'allow' || decision.isVouched
    const entry = addEntry(state, String(count), { ...query, at, amountAtomic, usdMicros, isVouched })
    entry.state = 'settled'
    // Events do not name deliveries.
    applyUpdate(state, entry.id, { delivered: true })
  }
  return { ...replay, savedUsd: formatUsdc(saved) }
}

/** Creates the challenge that a recorded payment answered, whose 402 is not available. */
function challengeOf({ facilitator, ...payment }: NonNullable<GuardEvent['payment']>) {
  const extra = facilitator ? { facilitatorAddress: facilitator } : {}
  const offer: Offer = { ...payment, x402Version: 2, source: 'header', extra, raw: {} }
  return { ...decodeChallenge({ header: null, body: null }), offers: [offer] }
}
