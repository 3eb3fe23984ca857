import type { Report } from './errors.ts'
import type { PaymentIntent } from './types.ts'

/**
 * The payment that a response answers.
 * @example
 * const costs = ({ intent }: ResponsePayment) => `$${intent.amountUsd} to ${intent.host}`
 */
export type ResponsePayment = {
  /** Id of the payment, for `guard.resolve`. */
  paymentId: string
  intent: PaymentIntent
  /** Whether an earlier or equal call was charged for it; then this response cost nothing. */
  isRepeat: boolean
  /** The live check that was bought for this call; absent without one. */
  liveCheck?: Report | undefined
}

// Registered, so that copies of this package understand each other's responses.
const PAYMENT = Symbol.for('touchstone402.payment')
const CHECK = Symbol.for('touchstone402.liveCheck')

/**
 * Returns the payment that a response of `guard.fetch`, or of a payment library above it, answers. Null if the call
 * was free, or the response was copied on its way. Equal calls that share an answer have one payment and one id.
 * @example
 * const response = await pay(url)
 * console.log(paymentOf(response)?.intent.amountUsd ?? 'free')
 */
export function paymentOf(response: Response): ResponsePayment | null {
  const payment = (response as { [PAYMENT]?: ResponsePayment })[PAYMENT]
  const liveCheck = liveCheckOf(response)
  return payment === undefined ? null : { ...payment, ...(liveCheck && { liveCheck }) }
}

/** Marks a response with the live check that was bought for its call. */
export function markCheck(response: Response, check: Report | undefined): Response {
  return check === undefined ? response : Object.defineProperty(response, CHECK, { value: check })
}

/** Returns the live check that was bought for the call of a response, paid or not. */
export const liveCheckOf = (response: Response): Report | undefined =>
  (response as { [CHECK]?: Report })[CHECK]

/** Marks a response with the payment that it answers. */
export function markPaid(response: Response, payment: Omit<ResponsePayment, 'liveCheck'>): Response {
  return Object.defineProperty(response, PAYMENT, { value: payment })
}
