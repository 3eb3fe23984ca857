import { isRecord, sameAddress } from '@touchstone402/shared'
import type { Payment } from '../ledger/ledger.ts'
import { type Approval, findHolder, fitsApproval } from '../paying/approvals.ts'
import { signalOf, untilAborted } from '../paying/calls/request.ts'
import { type GuardContext, refuse } from '../paying/guardContext.ts'
import type { PaymentScheme, PaymentSchemes } from '../paying/scheme.ts'
import { handOut, releaseApproval } from '../paying/settlement.ts'
import type { Authorization } from '../paying/signatures/authorization.ts'
import type { SigningAccount, TypedData } from '../paying/signatures/typedData.ts'
import type { ReasonCode } from '../reasons.ts'
import type { Hex } from '../types.ts'
import { ACCOUNT, checkOptions } from './guardOptions.ts'

/**
 * A viem local account that signs approved payments and sign-ins only.
 * @example
 * const guarded: GuardedAccount = guard.account(account)
 */
export type GuardedAccount = {
  readonly address: Hex
  readonly type: 'local'
  readonly source: 'touchstone'
  readonly publicKey: Hex
  /** @throws OfferMismatchError unless the payment is approved */
  signTypedData(data: unknown): Promise<Hex>
  /** @throws OfferMismatchError always: SIGNING_REFUSED */
  sign(parameters: unknown): Promise<never>
  /** @throws OfferMismatchError unless it is the message of a sign-in that the origin of a 402 asked for */
  signMessage(parameters: unknown): Promise<Hex>
  /** @throws OfferMismatchError unless it is an approved payment of MPP by the method tempo */
  signTransaction(transaction: unknown): Promise<Hex>
  /** @throws OfferMismatchError always: SIGNING_REFUSED */
  signAuthorization(parameters: unknown): Promise<never>
}

/**
 * Wraps an account so that it signs approved payments and sign-ins only. Approvals come from another integration of the same guard or
 * from `guard.approve()`, and permit one signature each.
 *
 * Returns a new object instead of a spread, so that no key or method of the account is exposed.
 * @throws ConfigurationError if it is no account
 */
export function guardAccount(context: GuardContext, account: SigningAccount): GuardedAccount {
  checkOptions({ account: ACCOUNT }, { account })
  context.accounts.add(account.address.toLowerCase())
  const no = (code: ReasonCode, open?: Approval) =>
    refuse(context, code, { intent: open?.intent, verdict: open?.verdict })
  const release = async (open: Approval, reason: unknown): Promise<never> => {
    await releaseApproval(context, open)
    throw reason
  }
  const never = async () => {
    throw no('SIGNING_REFUSED')
  }
  // Loaded with the first failure.
  const unsigned = async (cause: unknown, open?: Approval) =>
    (await import('../paying/refuseOffer.ts')).refuseUnsigned(context, open, cause)
  /** Signs an authorization for the open approval that it fits, and records it. */
  const signFor = async (
    { scheme, authorization, domain }: Request,
    sign: (open: Approval) => Promise<Hex>,
  ): Promise<Hex> => {
    if (!sameAddress(authorization.from, account.address)) throw no('SIGNING_REFUSED')
    await context.closeExpired()
    if (await context.ledger.isStopped()) throw no('STOPPED')
    // No await from here to the claim of the approval.
    const waiting = context.approvals.all().filter(({ signed }) => signed === null)
    if (waiting.length === 0) throw no('NO_INTENT')
    // A nonce identifies one authorization. A second one with the same nonce would replace the first in the ledger.
    const isKnown = ({ authorization: one }: Payment) => one?.nonce === authorization.nonce
    if (findHolder(context.approvals, authorization) !== undefined || context.ledger.pending().some(isKnown))
      throw no('SIGNING_REFUSED')
    const fitting = waiting.filter(
      (approval) =>
        approval.scheme.readMessage === scheme.readMessage &&
        approval.scheme.fits(approval, authorization, domain) &&
        fitsApproval(approval, authorization, context.now()),
    )
    // Equal approvals are indistinguishable here, so the abort of one must not end another.
    const alive = fitting.filter(({ asked }) => !(asked && signalOf(asked)?.aborted))
    const open = alive.find(({ claimed }) => claimed) ?? alive[0] ?? fitting[0]
    if (open === undefined) throw no('OFFER_CHANGED', waiting[0])
    const signal = fitting.length === 1 ? open.asked && signalOf(open.asked) : null
    if (signal?.aborted || alive.length === 0) return release(open, signal?.reason ?? no('NO_INTENT', open))
    open.signed = authorization
    // A signature that its caller has given up, or that comes too late, does not leave the guard.
    // Equal approvals may change their authorizations meanwhile, and an expired one is gone.
    const find = () => findHolder(context.approvals, authorization)
    const drop = (reason: unknown): Promise<never> => {
      const holder = find()
      return holder === undefined ? Promise.reject(reason) : release(holder, reason)
    }
    const signature = await untilAborted(signal, sign(open)).catch(async (cause) =>
      drop(signal?.aborted ? signal.reason : await unsigned(cause, open)),
    )
    if (authorization.validBefore * 1000n <= BigInt(context.now())) return drop(no('SIGNED_TOO_LATE', open))
    const holder = find()
    if (holder === undefined) throw no('NO_INTENT', open)
    await handOut(context, holder, authorization).catch(drop)
    return signature
  }
  return {
    address: account.address,
    type: 'local',
    source: 'touchstone',
    // Required by viem's type; not used for payments.
    publicKey: '0x',
    sign: never,
    signAuthorization: never,
    async signMessage(parameters) {
      // Loaded with the first message, since the guard signs those of sign-ins alone.
      const { signAdmitted } = await import('../paying/signIn.ts')
      const signature = await signAdmitted(context, account, parameters)
      return signature ?? never()
    },
    async signTypedData(data) {
      if (!isTypedData(data)) throw no('SIGNING_REFUSED')
      const free = context.schemes.mpp?.readFree(data, account.address)
      if (free !== undefined) {
        if (await context.ledger.isStopped()) throw no('STOPPED')
        return account.signTypedData(free).catch(async (cause) => {
          throw await unsigned(cause)
        })
      }
      const request = readRequest(context.schemes, account.address, data)
      if (request === undefined) throw no('SIGNING_REFUSED')
      const { scheme, authorization } = request
      // Rebuilt from the checked values, since the caller's object may change in between.
      return signFor(request, async (open) => account.signTypedData(scheme.write(open, authorization)))
    },
    async signTransaction(transaction) {
      const payment = await context.schemes.mpp?.readTransaction(transaction, account.address)
      if (payment === undefined || !signsTransactions(account)) throw no('SIGNING_REFUSED')
      const { unsigned, serializer } = payment
      return signFor(payment, async () => account.signTransaction(unsigned, { serializer }))
    },
  }
}

type Request = { scheme: PaymentScheme; domain?: Record<string, unknown>; authorization: Authorization }

type TransactionSigner = {
  signTransaction(transaction: unknown, options: { serializer: unknown }): Promise<Hex>
}

const signsTransactions = (account: SigningAccount): account is SigningAccount & TransactionSigner =>
  typeof Reflect.get(account, 'signTransaction') === 'function'

function isTypedData(data: unknown): data is TypedData {
  if (!isRecord(data) || typeof data.primaryType !== 'string') return false
  return isRecord(data.domain) && isRecord(data.types) && isRecord(data.message)
}

function readRequest({ exact, upto }: PaymentSchemes, payer: string, data: TypedData): Request | undefined {
  const { domain, types, primaryType, message } = data
  for (const scheme of upto === undefined ? [exact] : [exact, upto]) {
    const authorization = scheme.readMessage({ domain, types, primaryType, message }, payer)
    if (authorization !== undefined) return { scheme, domain, authorization }
  }
  return undefined
}
