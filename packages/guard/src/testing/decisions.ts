import { canonicalizeUrl, decodeChallenge, encodeBase64Json } from '@touchstone402/shared'
import type { LedgerView } from '../decide/budget.ts'
import { type Decision, decide } from '../decide/policy.ts'
import { type PolicyInput, parsePolicy } from '../decide/policySchema.ts'
import type { CheckedVerdict, VerdictState } from '../types.ts'
import { HONEST, type Terms } from './seller.ts'
import { termOf, USDC } from './service.ts'

const KEY = 'https://api.example.com/weather'
/** A ledger without a payment. */
export const FRESH: LedgerView = {
  spentTotal: 0n,
  spentDay: 0n,
  spentHostDay: 0n,
  spentReceiverDay: 0n,
  spentUnknownDay: 0n,
  spentUnknownDomainDay: 0n,
  spentTask: 0n,
  hostPaymentsLastMinute: 0,
  identicalPaymentsLastMinute: 0,
  struckUntil: null,
  isNewAsset: false,
  deliveries: 0,
  usual: null,
  dearestAtHost: null,
  pinnedReceiver: null,
}

/** Creates a signed verdict, safe by default. */
export function verdict(change: Partial<CheckedVerdict> = {}): VerdictState {
  const terms = [termOf(HONEST, '50000')]
  const base = { iss: 'https://touchstone.example', endpoint: KEY, verdict: 'safe', score: 90 } as const
  const rest = {
    riskLevel: 'clean',
    flags: [],
    terms,
    receiverStability: 'stable',
    probes: 9,
    seq: 1,
  } as const
  const times = { checkedAt: null, expiresAt: '2099-01-01T00:00:00.000Z', scoreVersion: '1.0.0' }
  return { state: 'signed', verdict: { ...base, ...rest, ...times, flags: [], ...change } }
}

function header(offers: Terms[], resource = KEY): string {
  const accepts = offers.map(({ amount = '10000', ...terms }) => ({
    scheme: 'exact',
    network: 'eip155:8453',
    amount,
    asset: USDC,
    payTo: HONEST,
    maxTimeoutSeconds: 60,
    ...terms,
  }))
  return encodeBase64Json({ x402Version: 2, resource: { url: resource }, accepts })
}

/** Input of one decision; honest by default. */
export type Case = {
  policy?: PolicyInput
  state?: VerdictState | null
  offers?: Terms[]
  view?: Partial<LedgerView>
  url?: string
  resource?: string
  isLive?: boolean
  method?: string
}

/** Decides on a case. */
export function run({
  policy,
  state = verdict(),
  offers = [{}],
  view = {},
  url = KEY,
  ...rest
}: Case = {}): Decision {
  return decide({
    policy: parsePolicy(policy),
    url: canonicalizeUrl(url),
    method: rest.method ?? 'GET',
    challenge: decodeChallenge({ header: header(offers, rest.resource ?? url), body: null }),
    verdict: state,
    ledger: () => ({ ...FRESH, ...view }),
    isLive: rest.isLive ?? false,
  })
}

/** Formats a decision. */
export const outcome = (decision: Decision): string =>
  decision.outcome === 'allow'
    ? `allow ${decision.chosen.offer.amountAtomic}`
    : `${decision.outcome} ${decision.code}`
