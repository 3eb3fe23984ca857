import { canonicalizeUrl, formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { NOTHING } from '../errors.ts'
import { BUDGET_CODES, type BudgetCode, isOneOf, type ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import { BUDGETS, type LedgerView } from './budget.ts'
import { coversHost, hostTerms } from './hosts.ts'
import type { Policy } from './policySchema.ts'

/** A refusal of an offer, as far as it is known. */
export type RefusedPayment = {
  policy: Policy
  endpoint?: string | null | undefined
  intent?: PaymentIntent | undefined
  verdict?: CheckedVerdict | null | undefined
  /** Sums that count against the limits. */
  view?: LedgerView | undefined
}

/** The setting of each budget; for the limits of a host, the one that holds without an entry in `hosts`. */
export const SETTINGS: Readonly<Record<BudgetCode, string>> = {
  OVER_CALL_LIMIT: 'maxUsd of the call',
  OVER_PAYMENT_LIMIT: 'maxPerPaymentUsd',
  OVER_TASK_LIMIT: 'maxUsd of the task',
  OVER_HOST_DAY_LIMIT: 'maxPerHostPerDayUsd',
  OVER_RECEIVER_DAY_LIMIT: 'maxPerReceiverPerDayUsd',
  OVER_DAY_LIMIT: 'maxPerDayUsd',
  OVER_TOTAL_LIMIT: 'maxTotalUsd',
  OVER_UNKNOWN_DOMAIN_LIMIT: 'onUnknown.maxPerDomainPerDayUsd',
  OVER_UNKNOWN_DAY_LIMIT: 'onUnknown.maxPerDayUsd',
  OVER_NEW_SELLER_LIMIT: 'newSeller.perCallUsd',
  OVER_NEW_SELLER_DAY_LIMIT: 'newSeller.perDayUsd',
  OVER_NEW_SELLERS_DAY_LIMIT: 'newSeller.allPerDayUsd',
  TOO_MANY_PAYMENTS: 'velocity.perHostPerMinute',
  PAYMENT_LOOP: 'velocity.identicalPerMinute',
}

/** Refusals that no setting lifts: a receiver, an asset and a warning are not to be waved through. */
const NEVER: readonly ReasonCode[] = [
  'RESOURCE_MISMATCH',
  'ASSET_NOT_ALLOWED',
  'DOMAIN_MISMATCH',
  'AMOUNT_INVALID',
  'RECEIVER_NOT_ALLOWED',
  'RECEIVERS_CONFLICT',
  'RECEIVER_NOT_CHECKED',
  'RECEIVER_PIN_MISMATCH',
  'TERMS_NOT_CHECKED',
  'TERMS_NOT_USUAL',
  'PRICE_ABOVE_CHECKED',
  'VERDICT_AVOID',
  'RISK_TOO_HIGH',
]

/**
 * Returns what would allow a refused payment: a part of a policy file, an option or a command; `nothing` if no setting
 * does. Undefined for a fault, which is not a matter of permission.
 */
export function allowanceOf(code: ReasonCode, refused: RefusedPayment): string | undefined {
  if (NEVER.includes(code)) return NOTHING
  return byPlace(code, refused) ?? byPolicy(code, refused)
}

/** Returns the setting for the host of the refused payment that would allow it. */
function byPlace(code: ReasonCode, { policy, endpoint, intent, view }: RefusedPayment): string | undefined {
  const place = endpoint ?? intent?.endpoint
  if (!place) return undefined
  const url = canonicalizeUrl(place)
  const { host } = url
  if (code === 'INSECURE_HTTP') return '"allowInsecureHttp": true'
  if (code === 'NO_DELIVERY_STRIKE') return `touchstone strikes --clear ${host}`
  if (code === 'HOST_NOT_ALLOWED') {
    const denied = policy.denyHosts.find((entry) => coversHost(entry, url))
    return denied === undefined ? `"allowHosts" with "${host}"` : `"denyHosts" without "${denied}"`
  }
  if (intent === undefined) return undefined
  const { group, maxPerDayUsd } = hostTerms(policy, url)
  const atHost = (...limits: [field: string, usd: string][]) =>
    `"hosts": {"${group?.entry ?? host}": {${limits.map(([field, usd]) => `"${field}": "${usd}"`).join(', ')}}}`
  const { amountUsd } = intent
  switch (code) {
    case 'OVER_ASK_LIMIT':
      return atHost(['askAboveUsd', amountUsd])
    case 'OVER_PAYMENT_LIMIT':
    case 'OVER_NEW_SELLER_LIMIT': {
      const isOverDay = usdToAtomic(amountUsd) > usdToAtomic(maxPerDayUsd)
      // Otherwise the next refusal would name the day.
      return atHost(
        ['maxPerPaymentUsd', amountUsd],
        ...(isOverDay ? [['maxPerDayUsd', amountUsd] as [string, string]] : []),
      )
    }
    case 'OVER_HOST_DAY_LIMIT':
      return atHost(['maxPerDayUsd', neededUsd(intent, view?.spentHostDay)])
    case 'OVER_NEW_SELLER_DAY_LIMIT':
    case 'OVER_NEW_SELLERS_DAY_LIMIT':
      return `"hosts": {"${host}": {}}`
    default:
      return undefined
  }
}

/** Returns the setting for all hosts, or for the call, that would allow it. */
function byPolicy(code: ReasonCode, { policy, intent, verdict, view }: RefusedPayment): string | undefined {
  if (code === 'VERDICT_CAUTION')
    return policy.block.includes('caution') ? '"block" without "caution"' : '"onCaution": "allow"'
  if (code === 'SCORE_TOO_LOW') return `"minScore": ${verdict?.score ?? 0}`
  if (intent === undefined) return undefined
  const { amountUsd } = intent
  if (code === 'VERDICT_UNKNOWN' || code === 'VERDICT_THIN') {
    if (policy.block.includes('unknown')) return '"block" without "unknown"'
    return allowUnknown(policy, amountUsd)
  }
  if (code === 'DELIVERY_NOT_PROVEN') return `"requireDeliveryAboveUsd": "${amountUsd}"`
  if (!isOneOf(BUDGET_CODES, code)) return undefined
  const [, counted] = BUDGETS[code]
  const spent = (counted && view?.[counted]) ?? 0
  const setting = SETTINGS[code]
  const isCount = setting.startsWith('velocity.')
  return writeSetting(setting, isCount ? `${Number(spent) + 1}` : `"${neededUsd(intent, BigInt(spent))}"`)
}

/** Writes a setting with its value as a part of a policy file, or of the options of a call or a task. */
function writeSetting(setting: string, value: string): string {
  const [name, inner] = setting.split('.')
  if (setting.startsWith('maxUsd ')) return setting.replace('maxUsd', `maxUsd ${value}`)
  return inner === undefined ? `"${name}": ${value}` : `"${name}": {"${inner}": ${value}}`
}

/** Allows an amount without a full verdict, also within the limits of the day that it exceeds alone. */
function allowUnknown({ onUnknown }: Policy, amountUsd: string): string {
  const perDay = ['maxPerDomainPerDayUsd', 'maxPerDayUsd'] as const
  const exceeded = perDay.filter((field) => usdToAtomic(amountUsd) > usdToAtomic(onUnknown[field]))
  const limits = ['allowUpToUsd', ...exceeded].map((field) => `"${field}": "${amountUsd}"`)
  return `"onUnknown": {${limits.join(', ')}}`
}

/** The least limit that has room for the payment: what counts against it now, and the price. */
const neededUsd = ({ amountUsd }: PaymentIntent, spent = 0n): string =>
  formatUsdc(spent + usdToAtomic(amountUsd))
