import {
  decodeChallenge,
  encodeBase64Json,
  isCanonicalUsdc,
  isRecord,
  type Offer,
  X402_HEADERS,
} from '@touchstone402/shared'
import { readBounded } from '../lib/readBounded.ts'

const MAX_BODY = 256 * 1024

/**
 * Leaves only the dearest offer of a challenge that a funded purchase pays, since the guard chooses the cheapest and a cheap
 * call proves no dear one. Returns a challenge without such an offer unchanged.
 * @param network CAIP-2 id of the network to pay on
 * @param most price that is funded, in the smallest unit of USDC
 */
export async function keepDearest(response: Response, network: string, most: bigint): Promise<Response> {
  const body = await readBounded(response.clone(), MAX_BODY).catch(() => null)
  const header = response.headers.get(X402_HEADERS.required)
  const challenge = decodeChallenge({ header, body, authenticate: null })
  const payable = challenge.offers.filter(
    (offer) =>
      offer.scheme === 'exact' &&
      offer.network === network &&
      isCanonicalUsdc(network, offer.asset) &&
      BigInt(offer.amountAtomic) <= most,
  )
  const amounts = payable.map(({ amountAtomic }) => BigInt(amountAtomic))
  const [dearest] = amounts.toSorted((a, b) => (a < b ? 1 : -1))
  const kept = payable.filter(({ amountAtomic }) => BigInt(amountAtomic) === dearest)
  if (kept.length === 0) return response
  const headers = new Headers(response.headers)
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding', 'www-authenticate'])
    headers.delete(name)
  if (isRecord(challenge.header))
    headers.set(X402_HEADERS.required, encodeBase64Json(withOnly(challenge.header, kept)))
  const reduced = isRecord(challenge.body) ? JSON.stringify(withOnly(challenge.body, kept)) : '{}'
  const { status, url } = response
  return Object.defineProperty(new Response(reduced, { status, headers }), 'url', { value: url })
}

/** Returns a document with the entries of some offers alone. */
function withOnly(document: Record<string, unknown>, offers: readonly Offer[]): Record<string, unknown> {
  const raw = offers.map((offer) => JSON.stringify(offer.raw))
  const accepts = Array.isArray(document.accepts) ? document.accepts : []
  return { ...document, accepts: accepts.filter((entry) => raw.includes(JSON.stringify(entry))) }
}
