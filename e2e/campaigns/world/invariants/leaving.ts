import { type CallRecord, OWNER, type SignatureRecord } from '../books.ts'
import type { Facts } from '../facts.ts'
import { Violation } from '../violation.ts'

/** Time after the end of a signature from which an equal call may be paid again: ten minutes, less what clocks differ by. */
const ANEW_MS = 600_000 - 61_000

/** Checks a signature as it leaves with a request. */
export function checkLeaving(facts: Facts, call: CallRecord, nonce: string): void {
  const own = facts.books.signatures.get(nonce)
  if (own === undefined) return
  const find = (violation: Violation) => {
    facts.violation ??= violation
  }
  const what = `call ${call.number} pays by ${nonce.slice(0, 10)}`
  const other = findOther(facts, own, call)
  if (other !== undefined)
    find(new Violation('once', `${what}, and ${other.nonce.slice(0, 10)} for it may still be collected`))
  // Agents that sign for themselves were shown what was approved for one request.
  const isShown = call.seat === OWNER || !facts.setUp.signs || facts.books.shown.has(call.identity)
  if (!isShown) find(new Violation('covered', `${what} for a request that was not approved`))
}

/** Returns a signature that may still be collected for the same call. */
function findOther(
  { books, time }: Facts,
  own: SignatureRecord,
  call: CallRecord,
): SignatureRecord | undefined {
  if (own.carrier?.identity !== call.identity) return undefined
  const isOver = ({ isAnswered, validBefore }: SignatureRecord) =>
    isAnswered || time.now() > validBefore * 1000 + ANEW_MS
  return books.out().find((one) => one !== own && one.carrier?.identity === call.identity && !isOver(one))
}
