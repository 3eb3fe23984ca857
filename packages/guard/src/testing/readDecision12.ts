import { ATOMIC_PATTERN, isRecord, RISK_LEVELS, VERDICTS } from '@touchstone402/shared'
import type { CheckedTerm, CheckedVerdict } from '../types.ts'

// The reading rules of guard releases for score 1.2.0, frozen: signed decisions must stay readable to them.

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

/** Reads a signed decision as a guard for score 1.2.0 does. */
export function readDecision12(value: unknown): CheckedVerdict | null {
  if (!isRecord(value)) return null
  const { iss, endpoint, verdict, score, riskLevel, flags, terms, resourceHosts } = value
  const { receiverStability, probes, checkedAt, expiresAt, seq, scoreVersion } = value
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
    checkedAt,
    expiresAt,
    seq,
    scoreVersion,
  }
}
