import { asObject } from './base64Json.ts'
import { type Challenge, type ChallengeProblem, type ChallengeProblemCode, X402_HEADERS } from './x402.ts'

const DOCUMENT: Partial<Record<ChallengeProblemCode, string>> = {
  header_not_base64_json: `${X402_HEADERS.required}: expected the base64 of a JSON object`,
  header_too_large: `${X402_HEADERS.required}: expected at most 64 KiB`,
  body_too_large: 'body: expected at most 256 KiB',
  version_unknown: 'x402Version: expected 1 or 2',
  accepts_missing: 'accepts: expected a list of at least one entry',
  accepts_too_many: 'accepts: expected at most 64 entries',
}
const AMOUNT = 'a decimal string such as "10000"'
const FIELDS: Readonly<Record<string, string>> = {
  scheme: 'a name such as "exact"',
  amount: AMOUNT,
  maxAmountRequired: AMOUNT,
  maxTimeoutSeconds: 'a whole number of seconds from 1 on',
  payTo: 'an address of the network',
  asset: 'an address of the network',
  extra: 'an object',
}
const NETWORKS = { 1: 'a name such as "base"', 2: 'a CAIP-2 id such as "eip155:8453"' }

/**
 * Describes a malformed part of a challenge, such as `accepts[1].amount: expected a decimal string such as "10000", got
 * the number 10000`. Undefined for a problem that is no wrong value. Contains no text of the seller.
 */
export function describeProblem(
  challenge: Pick<Challenge, 'header' | 'body'>,
  { code, source, index, field }: ChallengeProblem,
): string | undefined {
  const document = challenge[source]
  if (code in DOCUMENT) return DOCUMENT[code]
  if (index === undefined || !/malformed$/.test(code)) return undefined
  const entry: unknown = Array.isArray(document?.accepts) ? document.accepts[index] : undefined
  if (field === undefined) return `accepts[${index}]: expected an object, got ${describeValue(entry)}`
  const expected = field === 'network' ? NETWORKS[document?.x402Version === 1 ? 1 : 2] : FIELDS[field]
  return `accepts[${index}].${field}: expected ${expected}, got ${describeValue(asObject(entry)?.[field])}`
}

/** Names the kind of a value of the seller; shows whole numbers only. */
function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? `the number ${value}` : 'a number'
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'another string'
  return typeof value === 'object' ? 'an object' : 'a boolean'
}
