import { type CallRecord, type Outcome, OWNER, type SignatureRecord } from '../books.ts'
import type { Facts } from '../facts.ts'
import { Violation } from '../violation.ts'

/** Checks what an agent was told of its call, and what it got. */
export function checkOutcome(facts: Facts, call: CallRecord, outcome: Outcome): void {
  const find = (violation: Violation) => {
    facts.violation ??= violation
  }
  const { saysNothingSigned, paidBy, code } = outcome
  if (saysNothingSigned && call.left.size > 0) {
    const nonces = [...call.left].map((nonce) => nonce.slice(0, 10)).join(', ')
    find(new Violation('told', `call ${call.number} was told that nothing was signed, and ${nonces} left`))
  }
  const payer = paidBy === null ? undefined : facts.books.signatures.get(paidBy)
  if (payer !== undefined && payer.seat !== call.seat)
    find(new Violation('apart', `call ${call.number} of ${call.seat} got what ${payer.seat} has paid for`))
  if (code === 'NO_DELIVERY_STRIKE' && !mayBeStruck(facts, call))
    find(new Violation('apart', `call ${call.number} of ${call.seat} is barred by what another token did`))
}

/**
 * Whether a seller may be struck for a token: by its own experience or the owner's, by two tokens, or by silence or a fault
 * of the seller after a settlement.
 */
function mayBeStruck({ books, chain }: Facts, { seat, endpoint }: CallRecord): boolean {
  const faults = [...books.signatures.values()].filter(
    (one) => one.carrier?.endpoint === endpoint && one.statuses.some((status) => status !== 200),
  )
  const isOwn = (one: SignatureRecord) => one.seat === seat || one.seat === OWNER
  const isProven = ({ nonce, statuses }: SignatureRecord) =>
    chain.usedAt(nonce) !== null && statuses.some((status) => status < 400 || status >= 500)
  return (
    seat === OWNER ||
    faults.some((one) => isOwn(one) || isProven(one)) ||
    new Set(faults.map((one) => one.seat)).size > 1
  )
}
