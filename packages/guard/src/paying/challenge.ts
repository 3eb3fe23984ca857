import {
  type Challenge,
  decodeChallenge,
  encodeBase64Json,
  isRecord,
  type Offer,
  sameAddress,
  splitAuthenticate,
  X402_HEADERS,
} from '@touchstone402/shared'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import { readBody, withBody } from '../readBody.ts'
import type { GuardContext } from './guardContext.ts'

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000

/**
 * Reads and decodes the challenge of a 402. A body over the limits counts as absent.
 * @param asked headers of the request, which may name the methods of MPP that its library pays by. @default none
 */
export async function readChallenge(
  { now, schemes: { mpp } }: Pick<GuardContext, 'now' | 'schemes'>,
  response: Response,
  asked = new Headers(),
): Promise<FullChallenge> {
  const body = await readBody(response, MAX_BYTES, TIMEOUT_MS).catch(() => null)
  const { headers } = response
  const authenticate = headers.get('www-authenticate')
  const challenge = decodeChallenge({ header: headers.get(X402_HEADERS.required), body, authenticate })
  return mpp?.addOffers(challenge, asked.get('accept-payment'), now()) ?? challenge
}

const AUTHENTICATE = 'www-authenticate'

/** Extensions that make a client sign allowances beside the payment. */
export const SPONSORED = ['eip2612GasSponsoring', 'erc20ApprovalGasSponsoring']

/**
 * Reduces a challenge to the approved entry, unchanged, so that the payment library cannot choose another.
 * Equal terms in the other protocol version stay too, since the library may speak either. Null leaves none.
 */
export function reduceChallenge(
  challenge: Challenge,
  approved: Offer | null,
): { header: string | null; body: Record<string, unknown> } {
  if (approved === null) return { header: encodeBase64Json(withOnly(challenge.header)), body: {} }
  if (approved.other !== undefined) return { header: null, body: {} }
  const shown = challenge.offers.filter((offer) => isSameTerms(offer, approved))
  const v1 = shown.find((offer) => offer.x402Version === 1)
  const v2 = shown.find((offer) => offer.x402Version === 2)
  return {
    header: v2 === undefined ? null : encodeBase64Json(withOnly(challenge[v2.source], v2)),
    body: v1 === undefined ? {} : withOnly(challenge[v1.source], v1),
  }
}

/** Creates the 402 for the payment library: it shows the approved offer, and no other challenge of any protocol. */
export function rewriteChallenge(response: Response, challenge: Challenge, approved: Offer | null): Response {
  const { header, body } = reduceChallenge(challenge, approved)
  const headers = new Headers(response.headers)
  for (const name of [X402_HEADERS.required, 'content-length', 'content-encoding', 'transfer-encoding']) {
    headers.delete(name)
  }
  headers.set('content-type', 'application/json')
  if (header !== null) headers.set(X402_HEADERS.required, header)
  const { rest } = splitAuthenticate(headers.get(AUTHENTICATE))
  headers.delete(AUTHENTICATE)
  if (approved?.other !== undefined) headers.set(AUTHENTICATE, String(approved.raw.authenticate))
  if (rest !== null) headers.append(AUTHENTICATE, rest)
  return withBody(response, JSON.stringify(body), { headers })
}

function isSameTerms(a: Offer, b: Offer): boolean {
  return (
    a === b ||
    (a.other === undefined &&
      a.x402Version !== b.x402Version &&
      TERM_KEYS.every((key) => a[key] === b[key]) &&
      sameAddress(a.asset, b.asset) &&
      sameAddress(a.payTo, b.payTo) &&
      SIGNING_KEYS.every((key) => a.extra[key] === b.extra[key]))
  )
}

const TERM_KEYS = ['scheme', 'network', 'amountAtomic', 'maxTimeoutSeconds'] as const
// Keys of `extra` that decide what a library signs.
const SIGNING_KEYS = ['name', 'version', 'assetTransferMethod', 'paymentFlow', 'facilitatorAddress'] as const

function withOnly(document: Challenge['header'], offer?: Offer): Record<string, unknown> {
  const { extensions, error: _, ...rest } = document ?? {}
  const accepts = offer ? [offer.raw] : []
  if (!isRecord(extensions)) return { ...rest, accepts }
  const kept = Object.entries(extensions).filter(([key]) => !SPONSORED.includes(key))
  return { ...rest, accepts, extensions: Object.fromEntries(kept) }
}
