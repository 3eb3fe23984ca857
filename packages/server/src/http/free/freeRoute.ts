import { type FreeOperationId, OPERATIONS, parseQuery } from '@touchstone402/shared'
import type { Context } from '../../context.ts'
import { endOfMinute } from '../../facts/times.ts'
import { ProblemError } from '../../lib/problemError.ts'
import type { FreeAnswers, FreeHandler } from '../deps.ts'
import { type AnswerCache, type CachedAnswer, isValidAt } from './answerCache.ts'
import { JSON_TYPE, makeReady, type ReadyOptions } from './readyAnswer.ts'

/** Time limit of a handler. */
export const DEADLINE_MS = 10_000

/**
 * Makes the answer to a request target of a free operation, and caches it. Equal calls that overlap share it, as long as
 * nothing changes.
 * @throws ProblemError 400 for an invalid query; otherwise what the operation throws
 */
export type FreeRoute = (target: string) => Promise<CachedAnswer>

type FreeParts = { readonly answers: FreeAnswers; readonly cache: AnswerCache }

/** Creates the route of a free operation. */
export function createFreeRoute<Id extends FreeOperationId>(
  { clock }: Pick<Context, 'clock'>,
  { answers, cache }: FreeParts,
  id: Id,
): FreeRoute {
  const operation: (typeof OPERATIONS)[Id] = OPERATIONS[id]
  const { maxAgeSeconds } = operation
  const answer: FreeHandler<Id> = answers[id]
  const making = new Map<string, Promise<CachedAnswer>>()

  // Shared by all answers but those near their expiry: distinct copies would not fit the processor's caches.
  const usual: ReadyOptions = {
    type: JSON_TYPE,
    cacheControl: cacheControl(maxAgeSeconds, undefined, 0).text,
  }

  const make = async (target: string): Promise<CachedAnswer> => {
    const query = parseQuery<(typeof OPERATIONS)[Id]['query']>(operation.query, rawSearch(target))
    if (!query.ok) throw badQuery(query.errors)
    // Read before the handler runs: its data may be newer than this, never older.
    const askedAt = clock.now()
    const answered = await withDeadline(answer(query.value), DEADLINE_MS)
    const { body, expiresAt = Number.POSITIVE_INFINITY, isCurrent, madeAgainAt } = answered
    const control = cacheControl(maxAgeSeconds, expiresAt, clock.now())
    const options = control.text === usual.cacheControl ? usual : { ...usual, cacheControl: control.text }
    const made: CachedAnswer = {
      target,
      ready: makeReady(JSON.stringify(body), options),
      madeAt: askedAt,
      until: Math.min(madeAgainAt ?? endOfMinute(askedAt), expiresAt, control.until),
      isCurrent: isCurrent ?? (() => false),
    }
    if (isCurrent !== undefined) cache.put(made)
    return made
  }

  return async (target) => {
    const begun = await making.get(target)?.catch(() => undefined)
    // It was begun before this call, so a change may have come between.
    if (begun?.isCurrent() === true && isValidAt(begun, clock.now())) return begun
    const made = make(target).finally(() => {
      if (making.get(target) === made) making.delete(target)
    })
    making.set(target, made)
    return made
  }
}

/**
 * Returns the refusal of an invalid query.
 * @param code as in `ProblemError`. @default invalid_query
 */
export function badQuery(
  errors: readonly { parameter: string; code: string; message: string }[],
  code = 'invalid_query',
) {
  return new ProblemError(400, code, errors.map((error) => error.message).join('; '), { errors })
}

/** Returns the raw query string without its `?`. */
export function rawSearch(url: string): string {
  const cut = url.indexOf('?')
  if (cut < 0) return ''
  const fragment = url.indexOf('#', cut)
  return fragment < 0 ? url.slice(cut + 1) : url.slice(cut + 1, fragment)
}

/**
 * Returns the Cache-Control of a free answer: caches hold it for `maxAgeSeconds`, but never beyond its expiry.
 * @returns the header, and the Unix time in ms from which it would differ
 * @param expiresAt Unix time in ms
 * @param now Unix time in ms, by the same clock
 */
export function cacheControl(
  maxAgeSeconds: number,
  expiresAt: number | undefined,
  now: number,
): { readonly text: string; readonly until: number } {
  const expiry = expiresAt ?? Number.POSITIVE_INFINITY
  const left = Math.min(2 * maxAgeSeconds, Math.max(0, Math.floor((expiry - now) / 1000)))
  const maxAge = Math.min(maxAgeSeconds, left)
  const text = `public, max-age=${maxAge}, stale-while-revalidate=${left - maxAge}`
  return { text, until: expiry - left * 1000 + 1 }
}

/**
 * Waits for a handler's answer with a time limit.
 * @param stop aborted at the limit
 * @throws ProblemError 503 at the limit; otherwise what the handler throws
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number, stop?: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const tooSlow = new ProblemError(503, 'deadline_exceeded', 'The request timed out; please retry.', {
        retryAfterSeconds: 5,
      })
      stop?.abort(tooSlow)
      reject(tooSlow)
    }, ms)
  })
  try {
    return await Promise.race([answer, expired])
  } finally {
    clearTimeout(timer)
  }
}
