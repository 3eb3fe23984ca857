import {
  type Challenge,
  encodeBase64Json,
  type Offer,
  sameAddress,
  X402_HEADERS,
} from '@touchstone402/shared'

// Both make a client sign allowances beside the payment.
const SPONSORED = ['eip2612GasSponsoring', 'erc20ApprovalGasSponsoring']

/**
 * A challenge with the approved entry alone, unchanged, so that the payment library cannot choose another.
 * Where the seller states the same terms in both protocol versions, both are there, since the guard does not
 * know which version the library speaks.
 */
export function reduceChallenge(
  challenge: Challenge,
  approved: Offer,
): { header: string | null; body: Record<string, unknown> } {
  const shown = challenge.offers.filter((offer) => isSameTerms(offer, approved))
  const v1 = shown.find((offer) => offer.x402Version === 1)
  const v2 = shown.find((offer) => offer.x402Version === 2)
  const document = v2?.source === 'body' ? challenge.body : challenge.header
  return {
    header: v2 === undefined ? null : encodeBase64Json(withOnly(document, v2)),
    body: v1 === undefined ? {} : withOnly(challenge.body, v1),
  }
}

/** The 402 that the payment library sees: its header and body are those of the reduced challenge. */
export function rewriteChallenge(response: Response, challenge: Challenge, approved: Offer): Response {
  const { header, body } = reduceChallenge(challenge, approved)
  const headers = new Headers(response.headers)
  for (const name of [X402_HEADERS.required, 'content-length', 'content-encoding', 'transfer-encoding']) {
    headers.delete(name)
  }
  headers.set('content-type', 'application/json')
  if (header !== null) headers.set(X402_HEADERS.required, header)
  const { statusText } = response
  const rewritten = new Response(JSON.stringify(body), { status: 402, statusText, headers })
  // Libraries look at the URL of a response to know what they pay for.
  Object.defineProperty(rewritten, 'url', { value: response.url })
  return rewritten
}

function isSameTerms(a: Offer, b: Offer): boolean {
  return (
    a === b ||
    (a.x402Version !== b.x402Version &&
      a.scheme === b.scheme &&
      a.network === b.network &&
      a.amountAtomic === b.amountAtomic &&
      a.maxTimeoutSeconds === b.maxTimeoutSeconds &&
      sameAddress(a.asset, b.asset) &&
      sameAddress(a.payTo, b.payTo) &&
      SIGNING_KEYS.every((key) => a.extra[key] === b.extra[key]))
  )
}

// What in `extra` decides which signature a library makes.
const SIGNING_KEYS = ['name', 'version', 'assetTransferMethod', 'paymentFlow'] as const

function withOnly(document: Challenge['header'], offer: Offer): Record<string, unknown> {
  const { extensions, error: _, ...rest } = document ?? {}
  const kept =
    typeof extensions === 'object' && extensions !== null
      ? Object.fromEntries(Object.entries(extensions).filter(([key]) => !SPONSORED.includes(key)))
      : undefined
  return { ...rest, accepts: [offer.raw], ...(kept === undefined ? {} : { extensions: kept }) }
}
