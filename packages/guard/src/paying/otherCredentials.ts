import { readUrl } from '../readUrl.ts'
import type { GuardContext } from './guardContext.ts'
import { refuse } from './refuse.ts'
import { type CallRequest, isOneTime, isRequest } from './request.ts'

const FOREIGN = /(^|,)\s*(l402|lsat)\s/i
// The members of a JSON-RPC request in which clients pay for tools.
const IN_BODY = /(org\.paymentauth\/credential|x402\/payment)"/

/**
 * Looks at the credentials of a request that are no payment header.
 * @throws OfferMismatchError CREDENTIAL_NOT_READ for one in the body that was not approved, or a token that the policy
 * refuses
 */
export async function checkForeign(context: GuardContext, request: CallRequest): Promise<void> {
  const { url, method, headers } = request
  const no = (details: string) => refuse(context, 'CREDENTIAL_NOT_READ', { method, details })
  const text = await readJson(request).catch(() => '')
  // Loaded with the first payment in a body, since most are sent in a header.
  const details = IN_BODY.test(text) && (await import('./bodyPayment.ts')).findUnapproved(context, text)
  if (details) throw no(details)
  if (!FOREIGN.test(headers.get('authorization') ?? '')) return
  if (context.policy.foreignCredentials === 'refuse')
    throw no('policy.foreignCredentials refuses L402 tokens.')
  const canonical = readUrl(url)
  const endpoint = typeof canonical === 'string' ? null : canonical.key
  context.emit({ type: 'foreign_credential', reason: FOREIGN_REASON, endpoint, method })
}

/** Returns the text of a body that may be JSON and can be read twice; empty otherwise. */
async function readJson({ input, init, headers }: CallRequest): Promise<string> {
  const body = init?.body ?? null
  if (typeof body === 'string') return body
  const isJson = /json/i.test(headers.get('content-type') ?? '')
  if (!isJson || isOneTime(body)) return ''
  return (body === null && isRequest(input) ? input.clone() : new Response(body)).text()
}

const FOREIGN_REASON = 'The request carries an L402 token, which moves no money by itself.'
