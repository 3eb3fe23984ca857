import { isRecord } from '@touchstone402/shared'
import { standingOf } from '../decide/standing.ts'
import type { Count } from '../events.ts'
import { deepFreeze } from '../freeze.ts'
import { createLru } from '../lru.ts'
import type { VerdictClient } from '../paying/guardContext.ts'
import type { CheckedVerdict, LogCheck, VerdictState } from '../types.ts'
import type { ReadService } from './serviceApi.ts'
import { createServiceKeys } from './serviceKeys.ts'
import { MAX_SKEW_MS, type VerifiedVerdict, verifySignedVerdict } from './signedVerdict.ts'

/** Options of {@link createVerdictClient}. */
export type VerdictClientOptions = {
  readJson: ReadService
  /** Required `iss` of signed decisions. */
  issuer: string
  /** Thumbprints of trusted keys; without them the first key set is trusted. */
  thumbprints?: readonly string[] | undefined
  /** Cache lifetime of a verdict in ms. */
  maxAgeMs: number
  /** Cache lifetime of a failure in ms. */
  retryAfterMs: number
  /** Whether to use an unexpired verdict older than `maxAgeMs` while the service fails. */
  useCached: boolean
  count: Count
  /** Unix time in ms. */
  now: () => number
  /** Checks that the log holds a signing key. @default keys are trusted without it */
  log?: LogCheck | undefined
}

type Seen = VerifiedVerdict & { askedAt: number }
type Failure = { at: number; detail: string }

const MAX_ENDPOINTS = 5_000

// Only the signed part is used, so fields and codes of later versions do not matter.
type Answer = { endpoint: string; signature: string | undefined }

/** Creates a client of `/verify` with a bounded cache and one request in flight per endpoint. Verifies every answer. */
export function createVerdictClient(options: VerdictClientOptions): VerdictClient {
  const { readJson, issuer, maxAgeMs, retryAfterMs, useCached, count, now } = options
  const { thumbprints, log } = options
  const loadJwks = () => readJson('/.well-known/jwks.json')
  const getKeys = createServiceKeys({ loadJwks, thumbprints, now, isLogged: log?.verifyKey })
  const seen = createLru<Seen>(MAX_ENDPOINTS)
  const failures = createLru<Failure>(MAX_ENDPOINTS)
  const inFlight = new Map<string, Promise<VerdictState>>()

  const isCurrent = ({ verdict }: Seen) => Date.parse(verdict.expiresAt) > now()

  const keep = async (endpoint: string, answer: Answer): Promise<VerdictState> => {
    if (answer.endpoint !== endpoint) throw new Error('The answer is for another endpoint.')
    if (answer.signature === undefined) throw new Error('The verdict is not signed.')
    const verified = await verifySignedVerdict(answer.signature, getKeys, { issuer, endpoint })
    const { verdict, thumbprint } = deepFreeze(verified)
    if (Date.parse(verdict.expiresAt) <= now()) throw new Error('The decision has expired.')
    const last = seen.get(endpoint)
    // Until the newer decision expires, an older one of the same key is a replay.
    if (last?.thumbprint === thumbprint && isCurrent(last) && verdict.seq < last.verdict.seq) {
      throw new Error('The decision is older than the last one.')
    }
    // Kept, one that a clock signed ahead of time would refuse all later ones, and count as current, until that time.
    if (verdict.seq <= now() + MAX_SKEW_MS) seen.set(endpoint, { ...verified, askedAt: now() })
    return { state: 'signed', verdict }
  }

  const fallBack = (endpoint: string, detail: string): VerdictState => {
    const last = seen.get(endpoint)
    if (useCached && last !== undefined && isCurrent(last)) return { state: 'signed', verdict: last.verdict }
    return unavailable(detail, last?.verdict)
  }

  const ask = async (endpoint: string): Promise<VerdictState> => {
    count('verdictRequests')
    try {
      return await keep(endpoint, parseAnswer(await readJson('/verify', { endpoint })))
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'The request failed.'
      count('verdictFailures')
      failures.set(endpoint, { at: now(), detail })
      return fallBack(endpoint, detail)
    }
  }

  return {
    async get(endpoint) {
      const last = seen.get(endpoint)
      if (last !== undefined && isCurrent(last) && now() - last.askedAt < maxAgeMs) {
        count('cacheHits')
        return { state: 'signed', verdict: last.verdict }
      }
      const failure = failures.get(endpoint)
      const failedLast = failure !== undefined && failure.at >= (last?.askedAt ?? 0)
      if (failedLast && now() - failure.at < retryAfterMs) return fallBack(endpoint, failure.detail)
      const running = inFlight.get(endpoint)
      if (running !== undefined) {
        count('cacheHits')
        return running
      }
      const request = ask(endpoint).finally(() => inFlight.delete(endpoint))
      inFlight.set(endpoint, request)
      return request
    },
    async accept(endpoint, answer) {
      try {
        return await keep(endpoint, parseAnswer(answer))
      } catch (error) {
        return unavailable(error instanceof Error ? error.message : 'The answer is not a verdict.', undefined)
      }
    },
  }
}

function parseAnswer(answer: unknown): Answer {
  const { endpoint, signature } = isRecord(answer) ? answer : {}
  const isSigned = signature === undefined || typeof signature === 'string'
  if (typeof endpoint !== 'string' || !isSigned) throw new Error('The answer is not a verdict.')
  return { endpoint, signature }
}

function unavailable(detail: string, last: CheckedVerdict | undefined): VerdictState {
  return { state: 'unavailable', detail, lastSeen: last === undefined ? null : standingOf(last) }
}
