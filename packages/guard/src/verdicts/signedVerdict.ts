import { DECISION_TYPE, decodeBase64Json, SignedDecisionSchema } from '@touchstone402/shared'
import type { CheckedVerdict } from '../types.ts'
import type { ServiceKeys } from './serviceKeys.ts'

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/

/** A verdict whose signature was verified, and the key that made it. */
export type VerifiedVerdict = { verdict: CheckedVerdict; thumbprint: string }

/**
 * Verifies a signed decision and returns what it covers.
 *
 * The algorithm and the media type are fixed, so that nothing else that the key may sign passes for a verdict.
 * Source: RFC 7515 section 7.1, RFC 8037 section 3.1.
 * @throws Error with a plain sentence that says what is wrong
 */
export async function verifySignedVerdict(
  jws: string,
  keys: ServiceKeys,
  expected: { issuer: string; endpoint: string },
): Promise<VerifiedVerdict> {
  const [, protectedPart, payloadPart, signaturePart] = COMPACT.exec(jws) ?? []
  if (protectedPart === undefined || payloadPart === undefined || signaturePart === undefined) {
    throw new Error('The signature is no compact JWS.')
  }
  const header = decodeBase64Json(protectedPart)
  if (header?.alg !== 'EdDSA' || header.typ !== DECISION_TYPE || 'crit' in header || 'b64' in header) {
    throw new Error('The signature is not of the expected kind.')
  }
  const signed = new TextEncoder().encode(`${protectedPart}.${payloadPart}`)
  const signature = Uint8Array.from(
    atob(signaturePart.replaceAll('-', '+').replaceAll('_', '/')),
    (character) => character.charCodeAt(0),
  )
  const wanted = header.kid
  if (wanted !== undefined && typeof wanted !== 'string') throw new Error('The signature names no key.')
  const trusted = await keys.get(wanted)
  const candidates = wanted === undefined ? trusted : trusted.filter(({ kid }) => kid === wanted)
  for (const { key, thumbprint } of candidates) {
    if (!(await crypto.subtle.verify('Ed25519', key, signature, signed))) continue
    const decision = SignedDecisionSchema.safeParse(decodeBase64Json(payloadPart))
    if (!decision.success) throw new Error('The signed decision has the wrong shape.')
    if (decision.data.iss !== expected.issuer) throw new Error('The decision was issued by somebody else.')
    if (decision.data.endpoint !== expected.endpoint) throw new Error('The decision is for another endpoint.')
    return { verdict: decision.data, thumbprint }
  }
  throw new Error('The signature does not verify with a trusted key.')
}
