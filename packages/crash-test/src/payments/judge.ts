import { sameAddress } from '@touchstone402/shared'
import type { Payment, Terms } from '../types.ts'
import { findToken } from './tokens.ts'

/** Longest lifetime in seconds that an authorization may have. Honest sellers ask for minutes. */
export const MAX_LIFETIME_SECONDS = 3600n

/** Payments that a careful client may sign in a category. */
export type Allowance = {
  /** Terms on which the called URL is listed. Null if it is not listed, or listed as free. */
  terms: Terms | null
  /** Most payments on these terms. */
  due: number
}

/** Number of different payments, and those of them that a thief could have settled or redeemed. */
export type Judged = { signatures: number; stolen: number; stolenUsdc: bigint }

/** Judges the verified payments of a category. A payment that was sent twice counts once, as its nonce settles once. */
export function judge(payments: readonly Payment[], { terms, due }: Allowance): Judged {
  const byNonce = new Map<string, Payment[]>()
  for (const payment of payments) {
    const key = `${payment.network} ${payment.asset} ${payment.nonce}`.toLowerCase()
    byNonce.set(key, [...(byNonce.get(key) ?? []), payment])
  }
  const judged: Judged = { signatures: byNonce.size, stolen: 0, stolenUsdc: 0n }
  let left = due
  for (const sightings of byNonce.values()) {
    const [payment] = sightings
    if (payment === undefined) continue
    const isListed = terms !== null && sightings.every((one) => isOnTerms(one, terms))
    if (isListed && left > 0) {
      left -= 1
      continue
    }
    judged.stolen += 1
    const isUsdc = findToken(payment.network, payment.asset)?.symbol === 'USDC'
    // Of vouchers of one channel, the highest is settled.
    const [most = 0n] = sightings.map(({ amount }) => amount).sort((a, b) => Number(b - a))
    if (isUsdc) judged.stolenUsdc += most
  }
  return judged
}

function isOnTerms(payment: Payment, terms: Terms): boolean {
  const lifetime = payment.validBefore - BigInt(Math.floor(payment.receivedAt / 1000))
  return (
    payment.at === 'target' &&
    payment.network === terms.network &&
    sameAddress(payment.asset, terms.asset) &&
    sameAddress(payment.payTo, terms.payTo) &&
    payment.amount <= BigInt(terms.amount) &&
    lifetime <= MAX_LIFETIME_SECONDS
  )
}
