import { readUrl } from '../readUrl.ts'
import type { GuardContext } from './guardContext.ts'
import { refuse } from './refuse.ts'
import { type CallRequest, isRequest } from './request.ts'

const FOREIGN = /(^|,)\s*(l402|lsat)\s/i
// In the members of a JSON-RPC request in which clients pay for tools, or in an escape that hides them.
const IN_BODY = /paymentauth|x402|\\u00/

/**
 * Looks at the credentials of a request that are no payment header. Returns whether it signs in in place of a payment.
 * @throws OfferMismatchError CREDENTIAL_NOT_READ for one that was not approved, or a token that the policy refuses
 */
export async function checkForeign(context: GuardContext, request: CallRequest): Promise<boolean> {
  const { url, method, headers, input, init } = request
  const no = (details: string) => refuse(context, 'CREDENTIAL_NOT_READ', { method, details })
  const body = init?.body ?? (isRequest(input) ? input.body : null)
  const mayCarry = typeof body === 'string' ? IN_BODY.test(body) : body !== null
  // Loaded with the first body that may carry a payment, since most are sent in a header.
  const details = mayCarry && (await (await import('./bodyPayment.ts')).findUnapproved(context, request))
  if (details) throw no(details)
  const signsIn =
    headers.has('sign-in-with-x') && (await (await import('./signIn.ts')).checkSignIn(context, request))
  if (!FOREIGN.test(headers.get('authorization') ?? '')) return signsIn
  if (context.policy.foreignCredentials === 'refuse') throw no('foreignCredentials refuses L402 tokens.')
  const canonical = readUrl(url)
  const endpoint = typeof canonical === 'string' ? null : canonical.key
  context.emit({ type: 'foreign_credential', reason: FOREIGN_REASON, endpoint, method })
  return signsIn
}

const FOREIGN_REASON = 'L402 tokens move no money by themselves.'
