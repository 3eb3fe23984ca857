import type { CallRecord, Outcome } from '../books.ts'
import type { Facts } from '../facts.ts'
import { Violation } from '../violation.ts'

/** Checks what an agent was told of its call, and what it got. */
export function checkOutcome(facts: Facts, call: CallRecord, { saysNothingSigned, paidBy }: Outcome): void {
  const find = (violation: Violation) => {
    facts.violation ??= violation
  }
  if (saysNothingSigned && call.left.size > 0) {
    const nonces = [...call.left].map((nonce) => nonce.slice(0, 10)).join(', ')
    find(new Violation('told', `call ${call.number} was told that nothing was signed, and ${nonces} left`))
  }
  const seat = paidBy === null ? undefined : facts.books.signatures.get(paidBy)?.seat
  if (seat !== undefined && seat !== call.seat)
    find(new Violation('apart', `call ${call.number} of ${call.seat} got what ${seat} has paid for`))
}
