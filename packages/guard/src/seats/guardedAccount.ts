import { ADDRESS_PATTERN, sameAddress } from '@touchstone402/shared'
import { AUTHORIZATION_FIELDS, AUTHORIZATION_TYPE, type Authorization } from '../paying/authorization.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { fitsIntent, type OpenIntent } from '../paying/intents.ts'
import { refuse } from '../paying/refuse.ts'
import { recordSent } from '../paying/settlement.ts'
import { type SigningAccount, writeTypedData } from '../paying/signingAccount.ts'
import type { OfferCode } from '../reasons.ts'
import type { AssetDomain, Hex } from '../types.ts'

/** A viem local account that signs approved transfer authorizations and refuses everything else. */
export type GuardedAccount = {
  readonly address: Hex
  readonly type: 'local'
  readonly source: 'touchstone'
  readonly publicKey: Hex
  /** @throws OfferMismatchError for whatever was not approved */
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
 * Puts the guard before an account: whatever a library does with it, nothing is signed that was not approved.
 *
 * A fresh object, never a spread, so that no key and no method of the account shows through. An approval comes
 * from another seat of the same guard or from `guard.approve()`, and is good for one signature.
 */
export function guardAccount(context: GuardContext, account: SigningAccount): GuardedAccount {
  const no = (code: OfferCode, open?: OpenIntent) =>
    refuse(context, code, { intent: open?.intent, verdict: open?.verdict })
  const never = async () => {
    throw no('SIGNING_REFUSED')
  }
  return {
    address: account.address,
    type: 'local',
    source: 'touchstone',
    // viem's type wants one; nothing that pays reads it.
    publicKey: '0x',
    sign: never,
    signMessage: never,
    signTransaction: never,
    signAuthorization: never,
    async signTypedData(data) {
      const request = readRequest(data)
      if (request === undefined || !sameAddress(request.authorization.from, account.address)) {
        throw no('SIGNING_REFUSED')
      }
      await context.closeExpired()
      const unsigned = context.intents.all().filter(({ signed }) => signed === null)
      if (unsigned.length === 0) throw no('NO_INTENT')
      const { authorization, domain } = request
      const fitting = unsigned.filter(
        (intent) => isSameDomain(intent.domain, domain) && fitsIntent(intent, authorization, context.now()),
      )
      const open = fitting.find(({ claimed }) => claimed) ?? fitting[0]
      if (open === undefined) throw no('OFFER_CHANGED', unsigned[0])
      // From here on the signature may leave by any way, so the money counts as sent before it exists.
      await recordSent(context, open, authorization)
      // Written anew from what was checked: the caller's object could change in between.
      return account.signTypedData(writeTypedData(open.domain, authorization))
    },
  }
}

type Request = { domain: Record<string, unknown>; authorization: Authorization }

function readRequest(data: unknown): Request | undefined {
  if (!isObject(data)) return undefined
  const { domain, types, primaryType, message } = data
  if (primaryType !== AUTHORIZATION_TYPE || !isAuthorizationType(types)) return undefined
  if (!isObject(domain) || !isObject(message)) return undefined
  const { from, to, nonce } = message
  if (typeof from !== 'string' || !ADDRESS_PATTERN.test(from)) return undefined
  if (typeof to !== 'string' || !ADDRESS_PATTERN.test(to)) return undefined
  if (typeof nonce !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(nonce)) return undefined
  const value = readUint(message.value)
  const validAfter = readUint(message.validAfter)
  const validBefore = readUint(message.validBefore)
  if (value === undefined || validAfter === undefined || validBefore === undefined) return undefined
  return { domain, authorization: { from, to, value, validAfter, validBefore, nonce } }
}

function isAuthorizationType(types: unknown): boolean {
  const fields = isObject(types) ? types[AUTHORIZATION_TYPE] : undefined
  if (!Array.isArray(fields) || fields.length !== AUTHORIZATION_FIELDS.length) return false
  return AUTHORIZATION_FIELDS.every(
    ([type, name], index) => fields[index]?.type === type && fields[index]?.name === name,
  )
}

function isSameDomain(wanted: AssetDomain, given: Record<string, unknown>): boolean {
  const { name, version, chainId, verifyingContract, salt } = given
  return (
    name === wanted.name &&
    version === wanted.version &&
    readUint(chainId) === BigInt(wanted.chainId) &&
    typeof verifyingContract === 'string' &&
    sameAddress(verifyingContract, wanted.verifyingContract) &&
    salt === undefined
  )
}

function readUint(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,77})$/.test(value) ? BigInt(value) : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
