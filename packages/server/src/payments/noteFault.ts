import { messageOf } from '../lib/errors.ts'
import type { ClaimKey, OpenClaim } from '../store/claims.ts'
import { receiptOf } from './outcomes.ts'
import type { PaymentContext } from './paymentContext.ts'

/**
 * The step of a paid call that failed. `denied`: the facilitator says that it did not settle, and the chain shows nothing.
 * `contradicted`: it says so, and the chain shows the settlement; the call is answered.
 */
export type FaultStep = 'verify' | 'settle' | 'denied' | 'contradicted' | 'confirm' | 'claim' | 'handler'

/** The call that a fault belongs to. */
export type FaultyCall = {
  /** The payment, once it is known. */
  readonly claim?: ClaimKey
  readonly requestId: string
}

type Notes = Pick<PaymentContext, 'log' | 'metrics'>

/** Log messages of payment faults. Causes are in the fields. */
const SENTENCES: Readonly<Record<FaultStep, string>> = {
  verify: 'the facilitator did not verify a payment; the call was refused without a charge',
  settle: 'the facilitator gave no usable answer to a settlement; the chain decides',
  denied: 'the facilitator denied a settlement, and the chain shows none; the call was refused',
  contradicted: 'the facilitator denied a settlement that the chain shows; the call was answered',
  confirm: 'the chain did not confirm a payment in time; the call was refused',
  claim: 'a payment could not be recorded',
  handler: 'the handler of a paid call failed; nothing was charged',
}

/** Counts and logs a fault of a paid call, whose cause the caller does not see. */
export function noteFault({ log, metrics }: Notes, step: FaultStep, cause: unknown, call: FaultyCall): void {
  metrics.paymentFault({ step })
  const receipt = call.claim === undefined ? '' : receiptOf(call.claim)
  // Equal lines are merged: what a facilitator says may differ each time.
  log('warn', SENTENCES[step], {
    event: 'payment_failed',
    step,
    reason: messageOf(cause),
    receipt,
    requestId: call.requestId,
  })
}

/** Counts and logs a payment that turns out to be settled although its call was not answered. */
export function noteOwed({ log, metrics }: Notes, claim: OpenClaim): void {
  const { txHash } = claim
  const receipt = receiptOf(claim)
  metrics.paymentFault({ step: 'late' })
  log(
    'warn',
    `payment ${receipt}: settled in ${txHash} without an answer; the next equal call of its payer is not charged`,
    { event: 'payment_owed', receipt, txHash },
  )
}

/** Counts and logs a payment that was reported as settled and is not on chain. */
export function noteMissing({ log, metrics }: Notes, claim: OpenClaim): void {
  const { txHash } = claim
  const receipt = receiptOf(claim)
  metrics.paymentFault({ step: 'missing' })
  log('warn', `payment ${receipt}: reported as settled in ${txHash}, but not on chain`, {
    event: 'payment_missing',
    receipt,
    txHash,
  })
}
