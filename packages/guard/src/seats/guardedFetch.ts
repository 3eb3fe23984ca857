import { X402_HEADERS } from '@touchstone402/shared'
import { approve } from '../paying/approve.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { payOnce } from '../paying/paidLeg.ts'
import { readChallenge } from '../paying/readChallenge.ts'
import { headerOf, methodOf, urlOf } from '../paying/request.ts'
import { rewriteChallenge } from '../paying/rewriteChallenge.ts'
import type { FetchLike } from '../types.ts'

/**
 * Wraps the `fetch` below a payment library: `wrapFetchWithPayment(guard.fetch(fetch), client)`.
 * Responses other than a 402 pass unchanged. A 402 is reduced to the approved entry, and the payment that follows is
 * sent only if it equals the approval.
 */
export function guardInnerFetch(context: GuardContext, inner: FetchLike): FetchLike {
  return async (input, init) => {
    const v2 = headerOf(input, init, X402_HEADERS.signature)
    const v1 = headerOf(input, init, X402_HEADERS.v1Payment)
    if (v1 !== null || v2 !== null) return payOnce(context, inner, { input, init, v1, v2 })
    const response = await inner(input, init)
    if (response.status !== 402) return response
    const challenge = await readChallenge(response)
    const requestedUrl = urlOf(input)
    const { offer } = await approve(context, {
      method: methodOf(input, init),
      requestedUrl,
      url: response.url === '' ? requestedUrl : response.url,
      challenge,
      traceparent: headerOf(input, init, 'traceparent'),
    })
    return rewriteChallenge(response, challenge, offer)
  }
}
