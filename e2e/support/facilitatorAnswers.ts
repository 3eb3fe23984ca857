import type { Fault } from './faultyFacilitator.ts'

type When = 'before' | 'after'

/** A transaction that does not exist. */
export const NOWHERE = `0x${'ab'.repeat(32)}`

/** Returns the fault of an answer that the real facilitator did not give. @param body a text, or what is sent as JSON */
export const answering = (when: When, status: number, body: unknown): Fault => ({
  kind: 'answer',
  when,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** Returns a fault that says that a payment is valid and settled. */
export const claiming = (when: When, transaction = NOWHERE): Fault =>
  answering(when, 200, { isValid: true, success: true, transaction, network: 'base' })

/** Returns a fault that says that a payment is neither; by default for a reason that is given before a transaction is sent. */
export const denying = (when: When, errorReason = 'insufficient_funds', transaction = ''): Fault =>
  answering(when, 200, { success: false, isValid: false, transaction, network: 'base', errorReason })
