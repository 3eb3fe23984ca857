import { DECISION_TYPE, decodeBase64Json } from '@touchstone402/shared'
import type { CheckedVerdict } from '../types.ts'
import { readDecision } from './readDecision.ts'
import type { GetKeys } from './serviceKeys.ts'

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/

/** A verified verdict and the thumbprint of its key. */
export type VerifiedVerdict = { verdict: CheckedVerdict; thumbprint: string }

/**
 * Verifies a signed decision and returns its content.
 * Algorithm and media type are fixed, so that nothing else signed by the key passes as a verdict.
 * Source: RFC 7515 section 7.1, RFC 8037 section 3.1.
 * @throws Error that says what is invalid
 */
export async function verifySignedVerdict(
  jws: string,
  getKeys: GetKeys,
  expected: { issuer: string; endpoint: string },
): Promise<VerifiedVerdict> {
  const [, protectedPart, payloadPart, signaturePart] = COMPACT.exec(jws) ?? []
  if (protectedPart === undefined || payloadPart === undefined || signaturePart === undefined) {
    throw new Error('The signature is not a compact JWS.')
  }
  const header = decodeBase64Json(protectedPart)
  if (header?.alg !== 'EdDSA' || header.typ !== DECISION_TYPE || 'crit' in header || 'b64' in header) {
    throw new Error('The signature has the wrong type.')
  }
  const signed = new TextEncoder().encode(`${protectedPart}.${payloadPart}`)
  const signature = Uint8Array.from(
    atob(signaturePart.replaceAll('-', '+').replaceAll('_', '/')),
    (character) => character.charCodeAt(0),
  )
  const wanted = header.kid
  if (wanted !== undefined && typeof wanted !== 'string')
    throw new Error('The key id of the signature is invalid.')
  const trusted = await getKeys(wanted)
  const candidates = wanted === undefined ? trusted : trusted.filter(({ kid }) => kid === wanted)
  for (const { key, thumbprint } of candidates) {
    if (!(await crypto.subtle.verify('Ed25519', key, signature, signed))) continue
    const verdict = readDecision(decodeBase64Json(payloadPart))
    if (verdict === null) throw new Error('The signed decision has the wrong shape.')
    if (verdict.iss !== expected.issuer) throw new Error('The decision has another issuer.')
    if (verdict.endpoint !== expected.endpoint) throw new Error('The decision is for another endpoint.')
    return { verdict, thumbprint }
  }
  throw new Error('The signature does not verify with a trusted key.')
}
