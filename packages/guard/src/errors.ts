import { isRecord } from '@touchstone402/shared'
import { formatUsd } from './formatUsd.ts'
import {
  type BlockCode,
  BUDGET_CODES,
  type BudgetCode,
  CANNOT_RESEND,
  isOneOf,
  OFFER_CODES,
  type OfferCode,
  PAID_CODES,
  REASONS,
  REMEDIES,
  RETRY,
  type ReasonCode,
} from './reasons.ts'
import type { CheckedVerdict, PaymentIntent } from './types.ts'

const BRAND = Symbol.for('touchstone402.guard.error')

/**
 * A signed payment as errors and results report it.
 * @example
 * const isLost = ({ state, retryResends }: Report) => state !== 'signed' && !retryResends
 */
export type Report = {
  /** For `guard.resolve`. */
  id: string
  /** Decimal dollars, such as `0.01`. */
  amountUsd: string
  /** Address of the receiver. */
  to: string
  /** `signed`: it did not leave. `sent`: it may be collected. `settled`: the seller or the chain reports it as collected. */
  state: 'signed' | 'sent' | 'settled'
  /** Whether a repeat of the call sends this payment again instead of signing another. */
  retryResends: boolean
  /** Whether an earlier or equal call was charged for it. */
  isRepeat: boolean
}

/**
 * Facts of a refusal, as far as they are known.
 * @example
 * const text = ({ allowedBy, remedy }: RefusalFacts) => allowedBy ?? remedy
 */
export type RefusalFacts = {
  /** Whether a signed payment for this call may have been collected. */
  moneyMayHaveLeft: boolean
  /** Remedy, in one sentence. */
  remedy: string
  /**
   * Setting that would allow the payment: a part of a policy file, an option or a command; `nothing` if none does. Absent
   * for a fault, which is not a matter of permission.
   */
  allowedBy?: string | undefined
  /** The setting of the exceeded limit, such as `maxPerPaymentUsd`. */
  setting?: string | undefined
  /** The exceeded limit: dollars as a decimal string, or payments in a minute as a number. */
  limit?: string | number | undefined
  /** Remainder of the limit, in the same unit. */
  remaining?: string | number | undefined
  /** Time from which the call may succeed, as an ISO string; absent if waiting does not help. */
  resetsAt?: string | undefined
  /** The offered terms. The amount is in dollars. */
  offered?: { network: string; asset: string; amountUsd: string; payTo: string } | undefined
  /** Flags of the verdict. */
  flags?: readonly string[] | undefined
  /** Public profile of the host. */
  profileUrl?: string | undefined
  /** Id of the unresolved payment, for `guard.resolve`. */
  paymentId?: string | undefined
  /** The signed payment; absent if nothing was signed. */
  payment?: Report | undefined
  /** The live check that was bought for this call; absent without one. */
  liveCheck?: Report | undefined
  /** Hash of the settlement transaction. */
  transaction?: string | null | undefined
}

/** Optional parts of a {@link GuardError}. */
export type GuardErrorDetails = {
  facts?: Partial<RefusalFacts> | undefined
  /** A sentence with the values of this refusal, in the guard's own words. */
  details?: string | undefined
  /** A sentence that may quote another party of the owner's, such as the signer. Not part of what a model reads. */
  forDeveloper?: string | undefined
  cause?: unknown
  verdict?: CheckedVerdict | undefined
  intent?: PaymentIntent | undefined
}

/**
 * Base class of all errors that the guard throws.
 * @example
 * const retryable = (error: GuardError) => error.code === 'VERDICT_UNAVAILABLE'
 */
export class GuardError<Code extends ReasonCode = ReasonCode> extends Error implements RefusalFacts {
  override readonly name: string = 'GuardError'
  /** Reason of the refusal, as a literal. */
  readonly code: Code
  /** The sentence of the code. */
  readonly shortMessage: string
  /** The values of this refusal, and what would allow the payment. */
  readonly details: string | undefined
  /** The message without what would allow the payment, and without what a signer said: a model asks its owner instead. */
  readonly modelMessage: string
  /** The signed verdict behind the decision. */
  readonly verdict: CheckedVerdict | undefined
  /** The refused payment. */
  readonly intent: PaymentIntent | undefined

  readonly moneyMayHaveLeft: boolean
  readonly remedy: string
  declare readonly allowedBy?: RefusalFacts['allowedBy']
  declare readonly setting?: RefusalFacts['setting']
  declare readonly limit?: RefusalFacts['limit']
  declare readonly remaining?: RefusalFacts['remaining']
  declare readonly resetsAt?: RefusalFacts['resetsAt']
  readonly offered: RefusalFacts['offered']
  readonly flags: RefusalFacts['flags']
  readonly profileUrl: RefusalFacts['profileUrl']
  declare readonly paymentId?: RefusalFacts['paymentId']
  declare readonly payment?: RefusalFacts['payment']
  declare readonly liveCheck?: RefusalFacts['liveCheck']
  declare readonly transaction?: RefusalFacts['transaction']

  constructor(code: Code, { details, forDeveloper, cause, verdict, intent, facts }: GuardErrorDetails = {}) {
    const shortMessage = REASONS[code]
    const money = describeMoney(code, intent, facts)
    const allowance = facts?.allowedBy && describeAllowance(facts.allowedBy)
    super(join(shortMessage, details, forDeveloper, money, allowance), { cause })
    this.code = code
    this.shortMessage = shortMessage
    this.details = join(details, forDeveloper, allowance) || undefined
    this.modelMessage = join(shortMessage, details, money)
    this.verdict = verdict
    this.intent = intent
    this.moneyMayHaveLeft = PAID_CODES.includes(code)
    const isLost = facts?.payment?.retryResends === false
    this.remedy = isLost ? REMEDIES[code].replace(RETRY, CANNOT_RESEND) : REMEDIES[code]
    if (intent !== undefined) {
      const { network, asset, amountUsd, payTo } = intent
      this.offered = { network, asset, amountUsd, payTo }
    }
    if (verdict !== undefined) {
      this.flags = verdict.flags
      this.profileUrl = `${verdict.iss}/services/${encodeURIComponent(new URL(verdict.endpoint).host)}`
    }
    Object.assign(this, facts)
    Object.defineProperty(this, BRAND, { value: true })
  }
}

const join = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(' ')

/** `allowedBy` of a refusal that no setting lifts. */
export const NOTHING = 'nothing'

/** Says what would allow a payment. */
export const describeAllowance = (allowedBy: string): string =>
  allowedBy === NOTHING ? 'Nothing allows this.' : `To allow it: ${allowedBy}`

/** Describes the state of the money. */
function describeMoney(
  code: ReasonCode,
  intent: PaymentIntent | undefined,
  { payment, liveCheck, moneyMayHaveLeft = PAID_CODES.includes(code) }: Partial<RefusalFacts> = {},
): string | undefined {
  const check = liveCheck && `A live check was bought for ${formatUsd(liveCheck.amountUsd)}.`
  if (payment === undefined) {
    const rest = check === undefined ? 'Nothing was signed.' : `${check} Nothing else was signed.`
    return intent && !moneyMayHaveLeft ? rest : check
  }
  const { amountUsd, to, state, retryResends } = payment
  const what = `The payment of ${formatUsd(amountUsd)} to ${to} was`
  if (state === 'signed') return `${what} signed, but not sent.`
  const repeat = retryResends ? ' A repeat of the call sends the same payment again.' : ''
  return `${what} ${state === 'sent' ? 'sent, and may be collected' : 'collected'}.${repeat}`
}

/**
 * The endpoint, its challenge, its verdict or its answer violates the policy.
 * @example
 * pay('https://api.example.com/weather').catch((error) => {
 *   if (error instanceof PaymentBlockedError) console.log(error.code, error.verdict?.flags)
 * })
 */
export class PaymentBlockedError extends GuardError<BlockCode> {
  override readonly name = 'PaymentBlockedError'
}

/**
 * A budget or a rate limit is exhausted; nothing was signed.
 * @example
 * if (error instanceof BudgetExceededError) console.log(`over budget: ${error.intent?.amountUsd}`)
 */
export class BudgetExceededError extends GuardError<BudgetCode> {
  override readonly name = 'BudgetExceededError'
}

/**
 * The payment differs from the approved one; the difference was not sent.
 * @example
 * if (error instanceof OfferMismatchError && error.code === 'OFFER_CHANGED') console.log(error.intent?.payTo)
 */
export class OfferMismatchError extends GuardError<OfferCode> {
  override readonly name = 'OfferMismatchError'
}

/**
 * No signed verdict is available, and the policy does not pay without one.
 * @example
 * if (error instanceof VerdictUnavailableError) console.log(error.details)
 */
export class VerdictUnavailableError extends GuardError<'VERDICT_UNAVAILABLE'> {
  override readonly name = 'VerdictUnavailableError'
}

/**
 * An option or a policy field is missing or invalid.
 * @example
 * try {
 *   createGuard({ policy: { maxPerDayUsd: '-1' } })
 * } catch (error) {
 *   if (error instanceof ConfigurationError) console.log(error.details)
 * }
 */
export class ConfigurationError extends GuardError<'CONFIGURATION'> {
  override readonly name = 'ConfigurationError'
}

/** Creates the error of an option that is missing or invalid. */
export function misconfigured(details: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('CONFIGURATION', { details, cause })
}

/**
 * Returns whether an error is a guard's, also across duplicate installs of this package.
 * @example
 * pay(url).catch((error) => console.log(isGuardError(error) ? error.code : 'network error'))
 */
export function isGuardError(error: unknown): error is GuardError {
  return isRecord(error) && Reflect.get(error, BRAND) === true
}

/** Creates the error class that belongs to a code. */
export function createGuardError(code: ReasonCode, details?: GuardErrorDetails): GuardError {
  if (isOneOf(BUDGET_CODES, code)) return new BudgetExceededError(code, details)
  if (isOneOf(OFFER_CODES, code)) return new OfferMismatchError(code, details)
  if (code === 'VERDICT_UNAVAILABLE') return new VerdictUnavailableError(code, details)
  if (code === 'CONFIGURATION') return new ConfigurationError(code, details)
  return new PaymentBlockedError(code, details)
}

const MAX_CAUSES = 16
// The prefix of @x402/fetch and @x402/axios, which keep the message of a refused signature but not the error.
const WRAPPED = /^Failed to create payment payload: (?<message>.*)$/s

/**
 * Returns the guard's error behind an error of a payment library: the error itself or one of its causes. If the library
 * kept only the message, returns a new error of the same class, code and details, without `intent` and `verdict`.
 * @example
 * pay(url).catch((error) => console.log(findGuardError(error)?.code ?? 'network error'))
 */
export function findGuardError(error: unknown): GuardError | undefined {
  let cause = error
  for (let depth = 0; depth < MAX_CAUSES && isRecord(cause); depth++) {
    if (isGuardError(cause)) return cause
    cause = cause.cause
  }
  const text = isRecord(error) && typeof error.message === 'string' ? error.message : ''
  const message = WRAPPED.exec(text)?.groups?.message
  return message === undefined ? undefined : readMessage(message)
}

function readMessage(message: string): GuardError | undefined {
  const found = Object.entries(REASONS).find(
    ([, sentence]) => message === sentence || message.startsWith(`${sentence} `),
  )
  if (found === undefined) return undefined
  const [code, sentence] = found
  const rest = message.slice(sentence.length + 1)
  // The rest may be what a model does not read: nothing tells its sentences apart.
  return createGuardError(code as ReasonCode, rest === '' ? {} : { forDeveloper: rest })
}
