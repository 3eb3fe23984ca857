import { sameAddress } from '@touchstone402/shared'
import type { GuardError } from '../../errors.ts'
import type { Payment } from '../../ledger/ledger.ts'
import { signalOf, untilAborted } from '../calls/request.ts'
import { readChallenge } from '../challenge.ts'
import { describeClock, SET_CLOCK } from '../clock.ts'
import type { GuardContext } from '../guardContext.ts'
import type { Answer } from '../settlement.ts'
import { fail } from './lostPayment.ts'
import { readChain } from './resolveExpired.ts'

/** Records that a sent payment was answered with another 402, and returns the error to throw. */
export async function refuseAgain(
  context: GuardContext,
  sent: Answer,
  response: Response,
): Promise<GuardError> {
  const { ledger, flights } = context
  const { intent, paymentId: id } = sent
  const { offers } = await readChallenge(context, response)
  const isSame = offers.some(
    (offer) => offer.amountAtomic === intent.amountAtomic && sameAddress(offer.payTo, intent.payTo),
  )
  const isChanged = offers.length > 0 && !isSame
  const entry = ledger.find(id)
  if (flights.has(id) && entry?.state === 'settled') {
    await ledger.update(id, { answered: true }).catch(() => {})
    return fail(context, sent, 'PAYMENT_SETTLED', 'none', {
      details: 'Its answer was left unread. The next call is judged again.',
    })
  }
  const signal = sent.asked ? signalOf(sent.asked) : null
  const heard = <T>(work: Promise<T>, otherwise: T) => untilAborted(signal, work).catch(() => otherwise)
  const isSettled = entry !== undefined && (await heard(readChain(context, entry), 'open')) === 'settled'
  // What the seller has collected is no longer in the wallet.
  const isUnfunded =
    !isSettled && !isChanged && entry !== undefined && (await heard(lacksFunds(context, entry), false))
  const code = isSettled ? 'PAYMENT_SETTLED' : isChanged ? 'OFFER_CHANGED' : 'PAYMENT_NOT_ACCEPTED'
  const fault = isChanged || isSettled ? 'strike' : isUnfunded ? 'none' : 'mild'
  if (isUnfunded) return fail(context, sent, code, fault, { details: 'The wallet holds less than that.' })
  // An authorization of a wrong clock is not valid yet, or no longer. It explains nothing else.
  const isDoubtful = code === 'PAYMENT_NOT_ACCEPTED'
  const details = isDoubtful ? describeClock(response.headers, 'the seller', context.now()) : undefined
  return fail(context, sent, code, fault, details === undefined ? {} : { details, remedy: SET_CLOCK })
}

/** Whether the payer holds less than a payment needs; false if that is not known. */
async function lacksFunds({ rpcUrls, now }: GuardContext, entry: Payment): Promise<boolean> {
  const [url] = [rpcUrls[entry.network] ?? []].flat()
  if (url === undefined || entry.authorization === null) return false
  const { createChain, readHeld } = await import('../../ledger/chain.ts')
  const held = readHeld(createChain(url, globalThis.fetch), entry, entry.authorization.from, now())
  return held.then((amount) => amount < BigInt(entry.amountAtomic)).catch(() => false)
}
