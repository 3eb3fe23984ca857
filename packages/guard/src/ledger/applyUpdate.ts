import { sameAddress } from '@touchstone402/shared'
import { isFresh, isInFlight, isLapsed, isOpen, isUnsent, provesEnd } from './exposure.ts'
import type { LedgerUpdate, Payment, SentAuthorization } from './ledger.ts'
import type { LedgerState } from './ledgerState.ts'
import { dropPending } from './pending.ts'
import { proveStrike, recordDelivery, recordPayment } from './sellers.ts'
import { recordCost, takeBack } from './spending.ts'

/**
 * Applies an update. Returns false if it changes nothing. This function alone decides what frees an amount, not its
 * callers: it releases only payments that can no longer be collected.
 */
export function applyUpdate(state: LedgerState, id: string, change: LedgerUpdate): boolean {
  const entry = state.entries.get(id)
  if (entry === undefined) return false
  if ('answered' in change) {
    dropPending(state.pending, entry)
    entry.answered = true
    return true
  }
  if ('delivered' in change) {
    entry.delivered = change.delivered
    recordDelivery(state.sellers, entry, change.isMild === true, change.isOwn === true)
    return true
  }
  switch (change.state) {
    case 'handedOut':
      return isUnsent(entry) && leave(state, entry, change)
    case 'sent':
      // Two integrations may report one payment.
      return isInFlight(entry) && leave(state, entry, change)
    case 'unknown':
      return /^(handedOut|sent)$/.test(entry.state) && move(state, entry, 'unknown')
    case 'settled':
      return settle(state, entry, change)
    case 'unsigned':
      return entry.state === 'reserved' && release(state, entry)
    case 'expired':
      return isLapsed(entry, change.at) && release(state, entry)
    case 'unused':
      return (
        isAsked(entry, change) && isOpen(entry) && provesEnd(change.proof, entry) && release(state, entry)
      )
  }
}

/** Whether no retry of a payment's call can come, so that the kept payment must be erased. */
export function hasEnded({ entries }: LedgerState, id: string): boolean {
  const entry = entries.get(id)
  return entry === undefined || entry.answered || entry.state === 'released'
}

type Leaving = Extract<LedgerUpdate, { state: 'handedOut' | 'sent' }>

/**
 * Records the authorization of a payment that may leave. It is recorded once: a payment has no other, and its end does not
 * move. A signer cannot tell equal payments apart, so one may carry the authorization of the other; then they exchange.
 */
function leave(state: LedgerState, entry: Payment, { state: next, authorization }: Leaving): boolean {
  if (authorization !== null && !isSame(entry.authorization, authorization)) {
    const holder = holderOf(state, entry, authorization)
    if (holder === undefined && entry.authorization !== null) return false
    if (holder !== undefined) {
      // What has left has left, whichever payment it belongs to.
      move(state, holder, entry.state)
      authorize(holder, entry.authorization)
    }
    authorize(entry, authorization)
  }
  recordPayment(state.sellers, entry)
  return move(state, entry, next)
}

/** Returns the equal payment of the same agent for which an authorization was handed out. */
function holderOf(
  { unsent }: LedgerState,
  entry: Payment,
  authorization: SentAuthorization,
): Payment | undefined {
  return [...unsent].find(
    (one) =>
      one !== entry &&
      isSame(one.authorization, authorization) &&
      TERMS.every((key) => one[key] === entry[key]),
  )
}

const TERMS = ['agent', 'network', 'asset', 'payTo', 'scheme', 'amountAtomic'] as const

/** Whether two authorizations are one. */
export function isSame(a: SentAuthorization | null, b: SentAuthorization): boolean {
  const [first, second] = [a?.nonce, b.nonce].map((text) => text?.toLowerCase())
  return a !== null && first === second && sameAddress(a.from, b.from) && a.validBefore === b.validBefore
}

function authorize(entry: Payment, authorization: Payment['authorization']): void {
  entry.authorization = authorization
  entry.until = authorization && Number(authorization.validBefore)
  if (authorization && entry.once) entry.once = { ...entry.once, payer: authorization.from }
}

function move(state: LedgerState, entry: Payment, next: Payment['state']): true {
  entry.state = next
  if (isUnsent(entry)) state.unsent.add(entry)
  else state.unsent.delete(entry)
  return true
}

/** Releases the amount of a payment that cost nothing. */
export function release(state: LedgerState, entry: Payment): true {
  dropPending(state.pending, entry)
  takeBack(state.spending, entry)
  return move(state, entry, 'released')
}

/** Whether a payment still has the authorization that the chain was asked about: equal payments may exchange theirs. */
const isAsked = ({ authorization }: Payment, { nonce }: { nonce?: string }): boolean =>
  nonce === undefined || authorization?.nonce === nonce

type Settling = Extract<LedgerUpdate, { state: 'settled' }>

function settle(state: LedgerState, entry: Payment, change: Settling): boolean {
  if (!isAsked(entry, change)) return false
  const isProof = change.by === 'chain'
  if (entry.state === 'released' || (entry.state === 'settled' && !isProof)) return false
  const { transaction, amountAtomic = entry.amountAtomic, receipt } = change
  const [amount, most] = [BigInt(amountAtomic), BigInt(entry.amountAtomic)]
  if (amount > most || entry.known?.by === 'chain') return false
  if (amount < most && !(isProof && change.proof && isFresh(change.proof))) return false
  // Rounded up, so that dust is never free.
  const usdMicros = most === 0n ? 0n : (entry.usdMicros * amount + most - 1n) / most
  const known = { by: change.by, amountAtomic, usdMicros, transaction } as const
  if (receipt !== undefined) entry.receipt = receipt
  if (isProof) recordCost(state.spending, entry, known)
  else entry.known = known
  move(state, entry, 'settled')
  if (isProof) proveStrike(state.sellers, entry)
  return true
}
