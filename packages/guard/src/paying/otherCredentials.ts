import { asObject, parseJson } from '@touchstone402/shared'
import { readUrl } from '../readUrl.ts'
import type { GuardContext } from './guardContext.ts'
import { refuse } from './refuse.ts'
import { type CallRequest, NO_HEADERS } from './request.ts'

const FOREIGN = /(^|,)\s*(l402|lsat)\s/i
// Member of a JSON-RPC request in which MPP clients pay for tools. Source: `credentialMetaKey` of mppx 0.11.
const IN_BODY = 'org.paymentauth/credential'

/**
 * Looks at the credentials of a request that are no payment header.
 * @throws OfferMismatchError CREDENTIAL_NOT_READ for one in the body, or a token that the policy refuses
 */
export function checkForeign(context: GuardContext, { url, method, headers, init }: CallRequest): void {
  const no = (details: string) => refuse(context, 'CREDENTIAL_NOT_READ', { method, details })
  if (carriesInBody(init?.body)) throw no(IN_BODY_DETAILS)
  if (headers === NO_HEADERS || !FOREIGN.test(headers.get('authorization') ?? '')) return
  if (context.policy.foreignCredentials === 'refuse')
    throw no('policy.foreignCredentials refuses L402 tokens.')
  const canonical = readUrl(url)
  const endpoint = typeof canonical === 'string' ? null : canonical.key
  context.emit({ type: 'foreign_credential', reason: FOREIGN_REASON, endpoint, method })
}

function carriesInBody(body: unknown): boolean {
  if (typeof body !== 'string' || !body.includes(IN_BODY)) return false
  try {
    const params = asObject(asObject(parseJson(body))?.params)
    return IN_BODY in (asObject(params?._meta) ?? {})
  } catch {
    return false
  }
}

const IN_BODY_DETAILS = 'The body carries an MPP credential; the guard reads those of HTTP headers only.'
const FOREIGN_REASON = 'The request carries an L402 token, which moves no money by itself.'
