import {
  ATOMIC_PATTERN,
  DECISION_TYPE,
  decodeBase64Json,
  isRecord,
  RISK_LEVELS,
  VERDICTS,
} from '@touchstone402/shared'
import type { CheckedDelivery, CheckedTerm, CheckedVerdict } from '../types.ts'
import type { GetKeys } from './serviceKeys.ts'

/** Time in ms that the clock of the service may be ahead of this machine's. */
export const MAX_SKEW_MS = 90 * 60_000

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/

/** A verified verdict and the thumbprint of its key. */
export type VerifiedVerdict = { verdict: CheckedVerdict; thumbprint: string }

/**
 * Verifies a signed decision and returns its content.
 * Algorithm and media type are fixed, so that nothing else signed by the key passes as a verdict.
 * Source: RFC 7515 section 7.1, RFC 8037 section 3.1.
 * @throws Error that names the invalid part
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

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown, most = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most
const isOneOf = <T>(values: readonly T[], value: unknown): value is T => values.includes(value as T)
const isListOf = <T>(value: unknown, test: (item: unknown) => item is T): value is T[] =>
  Array.isArray(value) && value.every(test)

/** Whether a text is a time in ISO 8601, UTC. */
function isTimestamp(value: unknown): value is string {
  if (!isText(value) || !/^\d{4}(-\d\d){2}T\d\d(:\d\d){2}(\.\d+)?Z$/.test(value)) return false
  const time = Date.parse(value)
  // A day that its month does not have becomes one of the next month.
  return Number.isFinite(time) && new Date(time).toISOString().slice(0, 19) === value.slice(0, 19)
}

const isAtomic = (value: unknown): value is string => isText(value) && ATOMIC_PATTERN.test(value)

const isTerm = (value: unknown): value is CheckedTerm =>
  isRecord(value) &&
  isOneOf([1, 2], value.x402Version) &&
  [value.scheme, value.network, value.asset, value.payTo, value.method].every(isText) &&
  isAtomic(value.amountAtomicMin) &&
  isAtomic(value.amountAtomicMax)

const isDelivery = (value: unknown): value is CheckedDelivery =>
  isRecord(value) &&
  isText(value.status) &&
  [value.month, value.reason].every((text) => text === null || isText(text)) &&
  (value.paidUsd === null || Number.isFinite(value.paidUsd))

/** Reads a signed decision. It accepts what the contract's schema accepts, without the library. */
export function readDecision(value: unknown): CheckedVerdict | null {
  if (!isRecord(value)) return null
  const { iss, endpoint, verdict, score, riskLevel, flags, terms, resourceHosts } = value
  const { receiverStability, probes, delivery, checkedAt, expiresAt, seq, scoreVersion } = value
  const isRight =
    isText(iss) &&
    isText(endpoint) &&
    isOneOf(VERDICTS, verdict) &&
    (score === undefined || isCount(score, 100)) &&
    isOneOf(RISK_LEVELS, riskLevel) &&
    isListOf(flags, isText) &&
    isListOf(terms, isTerm) &&
    (resourceHosts === undefined || isListOf(resourceHosts, isText)) &&
    isOneOf(['new', 'stable', 'changed', null] as const, receiverStability) &&
    isCount(probes) &&
    (delivery === undefined || isDelivery(delivery)) &&
    (checkedAt === null || isTimestamp(checkedAt)) &&
    isTimestamp(expiresAt) &&
    isCount(seq) &&
    isText(scoreVersion)
  if (!isRight) return null
  return {
    iss,
    endpoint,
    verdict,
    score,
    riskLevel,
    flags,
    resourceHosts,
    // Field by field: they get into the ledger, which reads no amounts that it does not know.
    terms: terms.map(
      ({ x402Version, scheme, network, asset, payTo, method, amountAtomicMin, amountAtomicMax }) => ({
        x402Version,
        scheme,
        network,
        asset,
        payTo,
        method,
        amountAtomicMin,
        amountAtomicMax,
      }),
    ),
    receiverStability,
    probes,
    delivery,
    checkedAt,
    expiresAt,
    seq,
    scoreVersion,
  }
}
