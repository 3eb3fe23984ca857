import { type FreeOperationId, OPERATIONS, parseQuery } from '@touchstone402/shared'
import { endOfMinute } from '../../domain/facts/times.ts'
import { DEADLINE_MS, withDeadline } from '../deadline.ts'
import type { FreeAnswer, FreeAnswers, FreeHandler, HttpDeps } from '../deps.ts'
import { ProblemError } from '../problems.ts'
import { rawSearch } from '../search.ts'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import { cacheControl } from './cacheControl.ts'
import { JSON_TYPE, makeReady, type ReadyOptions } from './readyAnswer.ts'

/**
 * Makes the answer to a request target of a free operation, synchronously if possible, and caches it.
 * @throws ProblemError 400 for an invalid query; otherwise what the operation throws
 */
export type FreeRoute = (target: string) => CachedAnswer | Promise<CachedAnswer>

/** Creates the route of a free operation. */
export function createFreeRoute<Id extends FreeOperationId>(
  id: Id,
  deps: Pick<HttpDeps, 'answers' | 'clock' | 'deadlineMs'>,
  cache: AnswerCache,
): FreeRoute {
  const operation: (typeof OPERATIONS)[Id] = OPERATIONS[id]
  const { path: route, maxAgeSeconds } = operation
  const answers: FreeAnswers = deps.answers
  const answer: FreeHandler<Id> = answers[id]

  // Shared by all answers but those near their expiry: distinct copies would not fit the processor's caches.
  const usual: ReadyOptions = {
    type: JSON_TYPE,
    cacheControl: cacheControl(maxAgeSeconds, undefined, 0).text,
  }

  const keep = (target: string, askedAt: number, answered: FreeAnswer<Id>) => {
    const { body, expiresAt = Number.POSITIVE_INFINITY, isCurrent, madeAgainAt } = answered
    const control = cacheControl(maxAgeSeconds, expiresAt, deps.clock.now())
    const options = control.text === usual.cacheControl ? usual : { ...usual, cacheControl: control.text }
    const made: CachedAnswer = {
      target,
      route,
      ready: makeReady(JSON.stringify(body), options),
      until: Math.min(madeAgainAt ?? endOfMinute(askedAt), expiresAt, control.until),
      isCurrent: isCurrent ?? (() => false),
    }
    if (isCurrent !== undefined) cache.put(made)
    return made
  }

  return (target) => {
    const query = parseQuery<(typeof OPERATIONS)[Id]['query']>(operation.query, rawSearch(target))
    if (!query.ok) throw badQuery(query.errors)
    // Read before the handler runs: its data may be newer than this, never older.
    const askedAt = deps.clock.now()
    const made = answer(query.value)
    // A timer would cost more than a synchronous answer.
    if (!(made instanceof Promise)) return keep(target, askedAt, made)
    return withDeadline(made, deps.deadlineMs ?? DEADLINE_MS).then((answered) =>
      keep(target, askedAt, answered),
    )
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
