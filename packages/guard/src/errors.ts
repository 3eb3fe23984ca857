import type { BlockCode, BudgetCode, OfferCode, ReasonCode } from './reasons.ts'
import { BUDGET_CODES, OFFER_CODES, REASONS } from './reasons.ts'
import type { CheckedVerdict, PaymentIntent } from './types.ts'

const BRAND = Symbol.for('touchstone402.guard.error')

/** What an error of the guard may carry besides its code. */
export type GuardErrorDetails = {
  /** One more plain sentence, in the guard's own words. */
  details?: string | undefined
  cause?: unknown
  verdict?: CheckedVerdict | undefined
  intent?: PaymentIntent | undefined
}

/** The base of every error that the guard throws. */
export class GuardError<Code extends ReasonCode = ReasonCode> extends Error {
  override readonly name: string = 'GuardError'
  /** Why, as a literal that can be switched on. */
  readonly code: Code
  /** The sentence that belongs to the code. */
  readonly shortMessage: string
  readonly details: string | undefined
  /** The signed verdict that the decision rested on. */
  readonly verdict: CheckedVerdict | undefined
  /** The payment that was refused. */
  readonly intent: PaymentIntent | undefined

  constructor(code: Code, { details, cause, verdict, intent }: GuardErrorDetails = {}) {
    const shortMessage = REASONS[code]
    super(details === undefined ? shortMessage : `${shortMessage} ${details}`, { cause })
    this.code = code
    this.shortMessage = shortMessage
    this.details = details
    this.verdict = verdict
    this.intent = intent
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** The endpoint, its challenge or its verdict does not meet the policy; nothing was signed. */
export class PaymentBlockedError extends GuardError<BlockCode> {
  override readonly name = 'PaymentBlockedError'
}

/** A budget or a velocity limit is used up; nothing was signed. */
export class BudgetExceededError extends GuardError<BudgetCode> {
  override readonly name = 'BudgetExceededError'
}

/** A payment is not, or no longer, the approved one; what differs was not sent. */
export class OfferMismatchError extends GuardError<OfferCode> {
  override readonly name = 'OfferMismatchError'
}

/** No signed verdict could be had, and the policy does not pay without one. */
export class VerdictUnavailableError extends GuardError<'VERDICT_UNAVAILABLE'> {
  override readonly name = 'VerdictUnavailableError'
}

/** The guard was given options that it cannot work with. */
export class ConfigurationError extends GuardError<'CONFIGURATION'> {
  override readonly name = 'ConfigurationError'
}

/** Whether an error comes from a guard; true across duplicate installs of this package. */
export function isGuardError(error: unknown): error is GuardError {
  return typeof error === 'object' && error !== null && Reflect.get(error, BRAND) === true
}

const includes = <T extends string>(codes: readonly T[], code: string): code is T =>
  (codes as readonly string[]).includes(code)

/** Makes the error that belongs to a code. */
export function createGuardError(code: ReasonCode, details?: GuardErrorDetails): GuardError {
  if (includes(BUDGET_CODES, code)) return new BudgetExceededError(code, details)
  if (includes(OFFER_CODES, code)) return new OfferMismatchError(code, details)
  if (code === 'VERDICT_UNAVAILABLE') return new VerdictUnavailableError(code, details)
  if (code === 'CONFIGURATION') return new ConfigurationError(code, details)
  return new PaymentBlockedError(code, details)
}
