import { isRecord, sameAddress } from '@touchstone402/shared'
import type { GuardContext } from '../paying/guardContext.ts'
import { fitsIntent, type OpenIntent } from '../paying/intents.ts'
import { refuse } from '../paying/refuse.ts'
import { signalOf } from '../paying/request.ts'
import type { PaymentScheme, PaymentSchemes } from '../paying/scheme.ts'
import { recordSent, releaseIntent } from '../paying/settlement.ts'
import type { Authorization } from '../paying/signatures/authorization.ts'
import type { SigningAccount } from '../paying/signatures/signingAccount.ts'
import type { ReasonCode } from '../reasons.ts'
import type { Hex } from '../types.ts'
import { ACCOUNT, checkOptions } from './checkOptions.ts'

/**
 * A viem local account that signs only approved transfer authorizations.
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
  /** @throws OfferMismatchError always: SIGNING_REFUSED */
  signMessage(parameters: unknown): Promise<never>
  /** @throws OfferMismatchError always: SIGNING_REFUSED */
  signTransaction(parameters: unknown): Promise<never>
  /** @throws OfferMismatchError always: SIGNING_REFUSED */
  signAuthorization(parameters: unknown): Promise<never>
}

/**
 * Wraps an account so that it signs approved payments only. Approvals come from another seat of the same guard or
 * from `guard.approve()`, and permit one signature each.
 *
 * Returns a new object instead of a spread, so that no key or method of the account is exposed.
 * @throws ConfigurationError if it is no account
 */
export function guardAccount(context: GuardContext, account: SigningAccount): GuardedAccount {
  checkOptions({ account: ACCOUNT }, { account })
  context.accounts.add(account.address.toLowerCase())
  const no = (code: ReasonCode, open?: OpenIntent, cause?: unknown) =>
    refuse(context, code, { intent: open?.intent, verdict: open?.verdict, cause })
  const release = async (open: OpenIntent, reason: unknown): Promise<never> => {
    await releaseIntent(context, open)
    throw reason
  }
  const never = async () => {
    throw no('SIGNING_REFUSED')
  }
  return {
    address: account.address,
    type: 'local',
    source: 'touchstone',
    // Required by viem's type; not used for payments.
    publicKey: '0x',
    sign: never,
    signMessage: never,
    signTransaction: never,
    signAuthorization: never,
    async signTypedData(data) {
      const request = readRequest(context.schemes, account.address, data)
      if (request === undefined || !sameAddress(request.authorization.from, account.address)) {
        throw no('SIGNING_REFUSED')
      }
      await context.closeExpired()
      if (await context.ledger.isStopped()) throw no('STOPPED')
      // No await from here to the claim of the intent.
      const unsigned = context.intents.all().filter(({ signed }) => signed === null)
      if (unsigned.length === 0) throw no('NO_INTENT')
      const { authorization, domain, scheme } = request
      const fitting = unsigned.filter(
        (intent) =>
          intent.scheme === scheme &&
          scheme.fits(intent, authorization, domain) &&
          fitsIntent(intent, authorization, context.now()),
      )
      const open = fitting.find(({ claimed }) => claimed) ?? fitting[0]
      if (open === undefined) throw no('OFFER_CHANGED', unsigned[0])
      const signal = open.asked && signalOf(open.asked)
      if (signal?.aborted) return release(open, signal.reason)
      // Recorded first, since the signature may leave by any route once it exists.
      await recordSent(context, open, authorization)
      // Rebuilt from the checked values, since the caller's object may change in between.
      const sign = async () => account.signTypedData(scheme.write(open, authorization))
      const signature = await sign().catch((cause) => release(open, no('WALLET_REFUSED', open, cause)))
      // What the caller no longer waits for, or cannot be collected any more, does not leave.
      if (signal?.aborted) return release(open, signal.reason)
      const isLate = authorization.validBefore * 1000n <= BigInt(context.now())
      return isLate ? release(open, no('SIGNED_TOO_LATE', open)) : signature
    },
  }
}

type Request = { scheme: PaymentScheme; domain: Record<string, unknown>; authorization: Authorization }

function readRequest({ exact, upto }: PaymentSchemes, payer: string, data: unknown): Request | undefined {
  if (!isRecord(data)) return undefined
  const { domain, types, primaryType, message } = data
  if (!isRecord(domain) || !isRecord(types) || !isRecord(message)) return undefined
  if (typeof primaryType !== 'string') return undefined
  for (const scheme of upto === undefined ? [exact] : [exact, upto]) {
    const authorization = scheme.readMessage({ domain, types, primaryType, message }, payer)
    if (authorization !== undefined) return { scheme, domain, authorization }
  }
  return undefined
}
