import { isRecord } from '@touchstone402/shared'
import { standingOf } from '../decide/standing.ts'
import type { Count } from '../events.ts'
import { deepFreeze } from '../freeze.ts'
import { createLru } from '../lru.ts'
import { SET_CLOCK } from '../paying/clock.ts'
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
  /** Names the difference between the own clock and that of the service, if there is one. @default none */
  doubtClock?: () => string | undefined
  /** Checks that the log holds a signing key. @default keys are trusted without it */
  log?: LogCheck | undefined
}

type Seen = VerifiedVerdict & { askedAt: number }
type Failure = { at: number; detail: string; remedy?: string }

class ExpiredError extends Error {}

const MAX_ENDPOINTS = 5_000

// Only the signed part is used, so fields and codes of later versions do not matter.
type Answer = { endpoint: string; signature: string | undefined }

/** Creates a client of `/verify` with a bounded cache and one request in flight per endpoint. Verifies every answer. */
export function createVerdictClient(options: VerdictClientOptions): VerdictClient {
  const { readJson, issuer, maxAgeMs, retryAfterMs, useCached, count, now } = options
  const { thumbprints, log, doubtClock = () => undefined } = options
  const loadJwks = () => readJson('/.well-known/jwks.json')
  const getKeys = createServiceKeys({ loadJwks, thumbprints, now, isLogged: log?.verifyKey })
  const seen = createLru<Seen>(MAX_ENDPOINTS)
  const failures = createLru<Failure>(MAX_ENDPOINTS)
  const inFlight = new Map<string, Promise<VerdictState>>()

  /** Returns the place of a key among the pinned ones, which are listed oldest first. */
  const rankOf = (thumbprint: string) => thumbprints?.indexOf(thumbprint) ?? 0
  let newestKey = 0

  const isCurrent = ({ verdict, thumbprint }: Seen) =>
    Date.parse(verdict.expiresAt) > now() && rankOf(thumbprint) >= newestKey

  const keep = async (endpoint: string, answer: Answer): Promise<VerdictState> => {
    if (answer.endpoint !== endpoint) throw new Error('The answer is for another endpoint.')
    if (answer.signature === undefined) throw new Error('The verdict is not signed.')
    const verified = await verifySignedVerdict(answer.signature, getKeys, { issuer, endpoint })
    const { verdict, thumbprint } = deepFreeze(verified)
    if (Date.parse(verdict.expiresAt) <= now()) throw new ExpiredError('The decision has expired.')
    const last = seen.get(endpoint)
    newestKey = Math.max(newestKey, rankOf(thumbprint))
    // A service that signs by a newer pinned key has given up the former ones, which somebody else may hold.
    if (rankOf(thumbprint) < newestKey) throw new Error('A newer pinned key has signed since.')
    // Until the newer decision expires, an older one is a replay, whatever key has signed it.
    const isNewKey = last !== undefined && rankOf(thumbprint) > rankOf(last.thumbprint)
    if (last !== undefined && isCurrent(last) && !isNewKey && verdict.seq < last.verdict.seq) {
      throw new Error('The decision is older than the last one.')
    }
    // Kept, one that a clock signed ahead of time would refuse all later ones, and count as current, until that time.
    if (verdict.seq <= now() + MAX_SKEW_MS) seen.set(endpoint, { ...verified, askedAt: now() })
    return { state: 'signed', verdict }
  }

  const fallBack = (endpoint: string, failure: Failure): VerdictState => {
    const last = seen.get(endpoint)
    if (useCached && last !== undefined && isCurrent(last)) return { state: 'signed', verdict: last.verdict }
    return unavailable(failure, last?.verdict)
  }

  const describe = (error: unknown, otherwise: string): Failure => {
    const detail = error instanceof Error ? error.message : otherwise
    // A decision that has expired on its way tells of a wrong clock.
    const clock = error instanceof ExpiredError ? doubtClock() : undefined
    return clock === undefined
      ? { at: now(), detail }
      : { at: now(), detail: `${detail} ${clock}`, remedy: SET_CLOCK }
  }

  const ask = async (endpoint: string): Promise<VerdictState> => {
    count('verdictRequests')
    try {
      return await keep(endpoint, parseAnswer(await readJson('/verify', { endpoint })))
    } catch (error) {
      const failure = describe(error, 'The request failed.')
      count('verdictFailures')
      failures.set(endpoint, failure)
      return fallBack(endpoint, failure)
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
      if (failedLast && now() - failure.at < retryAfterMs) return fallBack(endpoint, failure)
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
        return unavailable(describe(error, 'The answer is not a verdict.'), undefined)
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

function unavailable({ detail, remedy }: Failure, last: CheckedVerdict | undefined): VerdictState {
  const lastSeen = last === undefined ? null : standingOf(last)
  return { state: 'unavailable', detail, lastSeen, ...(remedy !== undefined && { remedy }) }
}
