import { type Challenge, decodeBase64Json, findNetwork, isRecord, sameAddress } from '@touchstone402/shared'
import { screenAddress } from '../decide/screen.ts'
import { readUrl } from '../readUrl.ts'
import type { Hex } from '../types.ts'
import { type CallRequest, withoutFragment } from './calls/request.ts'
import { type GuardContext, refuse } from './guardContext.ts'
import { carriesPayment } from './payment.ts'
import { releaseApproval } from './settlement.ts'
import { recoverSigner } from './signatures/authorization.ts'
import { concat, keccak } from './signatures/bytes.ts'
import type { SigningAccount } from './signatures/typedData.ts'
import { INFO_FIELDS, readSignInInfo, SIGN_IN, type SignIn, writeMessage } from './signInMessage.ts'

/** The call that a 402 answered. */
type Place = { challenge: Challenge; requestedUrl: string; url: string; method: string }

/**
 * Admits the sign-in that a 402 asks for, or takes it out of the challenge: only what the origin that was called asks
 * for is shown to a library, on chains that the policy or the guard knows.
 * @returns the sign-in; undefined if none is admitted
 */
export function openSignIn(context: GuardContext, { challenge, ...place }: Place): SignIn | undefined {
  const { policy, signIns, now } = context
  const { url, method } = place
  const extension = takeOut(challenge.header)
  takeOut(challenge.body)
  const canonical = readUrl(url)
  if (typeof canonical === 'string' || screenAddress(policy, canonical) !== null) return undefined
  // A proof must not follow a redirect, so it goes to the URL that was asked for.
  if (withoutFragment(place.requestedUrl) !== withoutFragment(url)) return undefined
  const read = readSignInInfo(extension, url, now())
  const chains = read?.chains.filter((one) => policy.networks.includes(one) || findNetwork(one) !== undefined)
  if (read === undefined || !chains?.length) return undefined
  const { info, expiresAt } = read
  const { accepts, extensions } = challenge.header as {
    accepts: unknown
    extensions: Record<string, unknown>
  }
  const isAlone = Array.isArray(accepts) && accepts.length + challenge.offers.length === 0
  const signIn = {
    url,
    method,
    endpoint: canonical.key,
    info,
    chains,
    isAlone: isAlone && challenge.authenticate === null,
    expiresAt,
    paymentId: null,
    isUsed: false,
  }
  signIns.set(keyOf(url, info.nonce), signIn)
  const supportedChains = chains.map((chainId) => ({ chainId, type: 'eip191' }))
  extensions[SIGN_IN] = { ...(extension as object), info, supportedChains }
  return signIn
}

/** Removes the extension from a decoded document, which is the guard's own. */
function takeOut(document: Challenge['header']): unknown {
  const extensions = document?.extensions
  if (!isRecord(extensions)) return undefined
  const extension = extensions[SIGN_IN]
  delete extensions[SIGN_IN]
  return extension
}

/**
 * Signs a message if it is that of an admitted sign-in, and no other.
 * @returns undefined if it is not
 */
export async function signAdmitted(
  context: GuardContext,
  account: SigningAccount,
  parameters: unknown,
): Promise<Hex | undefined> {
  const message = isRecord(parameters) ? parameters.message : undefined
  const sign = Reflect.get(account, 'signMessage')
  if (typeof message !== 'string' || typeof sign !== 'function') return undefined
  const signIn = [...context.signIns.values()].find(
    (one) =>
      one.expiresAt > context.now() &&
      one.chains.some((chain) => writeMessage(one, chain, account.address) === message),
  )
  if (signIn === undefined) return undefined
  if (await context.ledger.isStopped()) throw refuse(context, 'STOPPED', { method: signIn.method })
  noteUse(context, signIn)
  return sign.call(account, { message })
}

/**
 * Admits a sign-in proof to the origin that asked for it, if it was approved. Releases the payment that was approved as a
 * fallback for sellers without sign-in.
 * @returns whether the request carries no payment
 * @throws OfferMismatchError CREDENTIAL_NOT_READ
 */
export async function checkSignIn(context: GuardContext, request: CallRequest): Promise<boolean> {
  const { url, method, headers } = request
  const proof = decodeBase64Json(headers.get(SIGN_IN) ?? '') ?? {}
  const signIn = context.signIns.get(keyOf(url, String(proof.nonce)))
  if (signIn === undefined || signIn.expiresAt <= context.now() || !isProof(proof, signIn)) {
    const details = 'The sign-in is not the one that a 402 of this origin asked for.'
    throw refuse(context, 'CREDENTIAL_NOT_READ', { method, details })
  }
  const pays = carriesPayment(headers)
  const open = pays || signIn.paymentId === null ? undefined : context.approvals.find(signIn.paymentId)
  if (open?.signed === null) await releaseApproval(context, open)
  noteUse(context, signIn)
  return !pays
}

// Sellers ignore other fields, but the guard lets nothing out unread.
const PROOF_FIELDS: readonly string[] = [
  ...INFO_FIELDS,
  'address',
  'chainId',
  'type',
  'signatureScheme',
  'signature',
]

function isProof(proof: Record<string, unknown>, signIn: SignIn): boolean {
  const { address, chainId, type, signatureScheme = 'eip191', signature } = proof
  if (typeof address !== 'string' || typeof signature !== 'string' || typeof chainId !== 'string')
    return false
  const isSame = INFO_FIELDS.every(
    (name) => JSON.stringify(proof[name]) === JSON.stringify(signIn.info[name]),
  )
  if (!isSame || !Object.keys(proof).every((name) => PROOF_FIELDS.includes(name))) return false
  if (type !== 'eip191' || signatureScheme !== 'eip191' || !signIn.chains.includes(chainId)) return false
  const message = new TextEncoder().encode(writeMessage(signIn, chainId, address))
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`)
  const signer = recoverSigner(keccak(concat(prefix, message)), signature)
  return signer !== undefined && sameAddress(signer, address)
}

function noteUse(context: GuardContext, signIn: SignIn): void {
  const { endpoint, method, isUsed } = signIn
  if (!isUsed) context.emit({ type: 'signed_in', reason: REASON, endpoint, method })
  signIn.isUsed = true
}

const REASON = 'The wallet signed in to the origin that asked; this moves no money.'

function keyOf(url: string, nonce: string): string {
  return `${URL.canParse(url) ? new URL(url).origin : ''} ${nonce}`
}
