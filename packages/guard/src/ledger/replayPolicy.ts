import { canonicalizeUrl, formatUnits, USDC_DECIMALS } from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import { type Decision, decide } from '../decide/policy.ts'
import type { Policy } from '../decide/policyTypes.ts'
import type { GuardEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import { addEntry, createLedgerState, viewState } from './ledgerState.ts'

/** What another policy would have done with the payments of a ledger. */
export type Replay = {
  /** Payments that were allowed. */
  payments: number
  /** Those of them that the policy would have refused. */
  blocked: { at: number; endpoint: string; amountUsd: string; code: ReasonCode }[]
  /** Payments that it would have asked about. */
  asked: number
  /** Payments that were refused and that it would have allowed. */
  allowed: { at: number; endpoint: string; amountUsd: string }[]
  /** Dollars that would not have been spent. */
  savedUsd: string
}

/** Decides anew, by another policy, on everything that a ledger has recorded. */
export function replayPolicy(policy: Policy, events: Iterable<GuardEvent>): Replay {
  const replay: Replay = { payments: 0, blocked: [], asked: 0, allowed: [], savedUsd: '0' }
  const state = createLedgerState()
  const limits = budgetLimits(policy)
  let saved = 0n
  let count = 0
  for (const event of events) {
    const { endpoint, payment, at } = event
    if ((event.type !== 'allowed' && event.type !== 'refused') || endpoint === null || payment === null)
      continue
    const query = {
      ...payment,
      host: canonicalizeUrl(endpoint).host,
      endpoint,
      call: `${event.method} ${endpoint}`,
    }
    const decision = decideOn(policy, event, endpoint, payment, () => viewState(state, query, limits, at))
    const isAllowed = decision.outcome === 'allow' || decision.outcome === 'ask'
    const { amountUsd, amountAtomic, payTo } = payment
    const chosen = decision.chosen
    if (event.type === 'allowed') replay.payments += 1
    if (event.type === 'allowed' && decision.outcome === 'ask') replay.asked += 1
    if (event.type === 'allowed' && !isAllowed) {
      replay.blocked.push({ at, endpoint, amountUsd, code: decision.code })
      saved += chosen?.usdMicros ?? BigInt(amountAtomic)
    }
    if (event.type === 'refused' && decision.outcome === 'allow')
      replay.allowed.push({ at, endpoint, amountUsd })
    if (chosen === undefined || !(event.type === 'allowed' ? isAllowed : decision.outcome === 'allow'))
      continue
    count += 1
    const entry = addEntry(state, String(count), {
      ...query,
      at,
      amountAtomic,
      payTo,
      usdMicros: chosen.usdMicros,
    })
    entry.state = 'committed'
  }
  return { ...replay, savedUsd: formatUnits(saved, USDC_DECIMALS) }
}

function decideOn(
  policy: Policy,
  { verdict }: GuardEvent,
  endpoint: string,
  payment: NonNullable<GuardEvent['payment']>,
  ledger: () => ReturnType<typeof viewState>,
): Decision {
  const { network, asset, payTo, amountAtomic, maxTimeoutSeconds } = payment
  const offer = { x402Version: 2, source: 'header', scheme: 'exact', extra: {}, raw: {} } as const
  return decide({
    policy,
    url: canonicalizeUrl(endpoint),
    challenge: {
      offers: [{ ...offer, network, asset, payTo, amountAtomic, maxTimeoutSeconds }],
      ...{ versions: [2], resource: null, declaresInput: false, header: null, body: null },
      ...{ declaresOutput: false, problems: [], disagreements: [] },
    },
    verdict:
      verdict === null ? { state: 'unavailable', detail: '', lastSeen: null } : { state: 'signed', verdict },
    ledger,
  })
}
