import { VerdictSchema } from '@touchstone402/shared'
import * as z from 'zod/mini'
import type { Count } from '../events.ts'
import { createLru } from '../lru.ts'
import type { VerdictClient } from '../paying/guardContext.ts'
import type { CheckedVerdict, VerdictState } from '../types.ts'
import type { ServiceApi } from './serviceApi.ts'
import { createServiceKeys } from './serviceKeys.ts'
import { type VerifiedVerdict, verifySignedVerdict } from './signedVerdict.ts'

export type VerdictClientOptions = {
  api: ServiceApi
  /** What `iss` of a signed decision has to be. */
  issuer: string
  /** Keys to trust; without them those of the first key set. */
  thumbprints?: readonly string[] | undefined
  /** How long a verdict is used without asking again, in milliseconds. */
  maxAgeMs: number
  /** How long a failure is remembered, in milliseconds. */
  retryAfterMs: number
  /** Whether an unexpired verdict that is older than `maxAgeMs` will do while the service fails. */
  useCached: boolean
  count: Count
  /** Milliseconds since 1970. */
  now: () => number
}

type Seen = VerifiedVerdict & { askedAt: number }
type Failure = { at: number; detail: string }

const MAX_ENDPOINTS = 5_000

// A live check has fields of its own; what counts of either answer is what the signature covers.
const AnswerSchema = z.object({ endpoint: z.string(), signature: z.optional(z.string()) })

/** A client of `/verify` with a bounded cache, one request in flight per endpoint, and every answer verified. */
export function createVerdictClient(options: VerdictClientOptions): VerdictClient {
  const { api, issuer, maxAgeMs, retryAfterMs, useCached, count, now } = options
  const { thumbprints } = options
  const loadJwks = () => api.readJson('/.well-known/jwks.json')
  const keys = createServiceKeys({ loadJwks, thumbprints, now })
  const seen = createLru<Seen>(MAX_ENDPOINTS)
  const failures = createLru<Failure>(MAX_ENDPOINTS)
  const inFlight = new Map<string, Promise<VerdictState>>()

  const isCurrent = ({ verdict }: Seen) => Date.parse(verdict.expiresAt) > now()

  const keep = async (endpoint: string, answer: z.infer<typeof AnswerSchema>): Promise<VerdictState> => {
    if (answer.endpoint !== endpoint) throw new Error('The answer is for another endpoint.')
    if (answer.signature === undefined) throw new Error('The verdict is not signed.')
    const verified = await verifySignedVerdict(answer.signature, keys, { issuer, endpoint })
    const { verdict, thumbprint } = verified
    if (Date.parse(verdict.expiresAt) <= now()) throw new Error('The decision has expired.')
    const last = seen.get(endpoint)
    // An older decision of the same key is a replay for as long as the newer one holds.
    if (last?.thumbprint === thumbprint && isCurrent(last) && verdict.seq < last.verdict.seq) {
      throw new Error('The decision is older than one that was seen before.')
    }
    seen.set(endpoint, { ...verified, askedAt: now() })
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
      return await keep(endpoint, parseAs(VerdictSchema, await api.readJson('/verify', { endpoint })))
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'The service could not be asked.'
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
        return await keep(endpoint, parseAs(AnswerSchema, answer))
      } catch (error) {
        return unavailable(error instanceof Error ? error.message : 'Not a verdict.', undefined)
      }
    },
  }
}

function parseAs<T extends z.ZodMiniType>(schema: T, answer: unknown): z.infer<T> {
  const parsed = schema.safeParse(answer)
  if (!parsed.success) throw new Error('The answer is no verdict.')
  return parsed.data
}

function unavailable(detail: string, last: CheckedVerdict | undefined): VerdictState {
  return { state: 'unavailable', detail, lastSeen: last?.verdict ?? null }
}
