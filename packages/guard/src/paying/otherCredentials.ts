import { readBody } from '../readBody.ts'
import { readUrl } from '../readUrl.ts'
import type { GuardContext } from './guardContext.ts'
import { refuse } from './refuse.ts'
import { type CallRequest, copyBody, signalOf, untilAborted } from './request.ts'

const FOREIGN = /(^|,)\s*(l402|lsat)\s/i
// In the members of a JSON-RPC request in which clients pay for tools, or in an escape that hides them.
const IN_BODY = /paymentauth|x402|\\u00/
// No call of a tool with a payment is larger, or takes longer to read.
const MAX_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 1000

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

/** Returns the text of a body that may be JSON by its type, if it has one, and can be read twice; empty otherwise. */
async function readJson(request: CallRequest): Promise<string> {
  const { init, headers } = request
  if (typeof init?.body === 'string') return init.body
  const type = headers.get('content-type') ?? (init?.body instanceof Blob ? init.body.type : '')
  const copy = /^$|json|plain/i.test(type) ? copyBody(request) : null
  // The body of a Request may be a stream, which has no end in time.
  return copy ? untilAborted(signalOf(request), readBody(copy, MAX_BYTES, TIMEOUT_MS)) : ''
}

const FOREIGN_REASON = 'The request carries an L402 token, which moves no money by itself.'
