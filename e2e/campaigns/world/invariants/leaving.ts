import type { CallRecord, SignatureRecord } from '../books.ts'
import type { Facts } from '../facts.ts'
import { Violation } from '../violation.ts'

/** From ten minutes after its end an equal call is judged anew; a little less, since clocks differ. */
const ANEW_MS = 600_000 - 61_000

/** Checks a signature as it leaves with a request: its call has no other that could be collected too. */
export function checkLeaving(facts: Facts, call: CallRecord, nonce: string, _request: Request): void {
  const { books, time } = facts
  const own = books.signatures.get(nonce)
  if (own === undefined || own.identity !== call.identity) return
  const isOver = ({ isAnswered, validBefore }: SignatureRecord) =>
    isAnswered || time.now() > validBefore * 1000 + ANEW_MS
  for (const other of books.out()) {
    if (other === own || other.identity !== own.identity || isOver(other)) continue
    facts.violation ??= new Violation(
      'once',
      `call ${call.number} pays by ${nonce.slice(0, 10)}, and ${other.nonce.slice(0, 10)} for it may still be collected`,
    )
  }
}
