import { type FreeOperationId, OPERATIONS, parseQuery } from '@touchstone402/shared'
import { DEADLINE_MS, withDeadline } from '../deadline.ts'
import type { AgeingAnswer, FreeAnswer, FreeAnswers, FreeHandler, HttpDeps } from '../deps.ts'
import { ProblemError } from '../problems.ts'
import { rawSearch } from '../search.ts'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import { endOfMinute } from './minute.ts'
import { createJsonRepresentation } from './representation.ts'

/**
 * Makes the answer to a request target of a free operation, at once where it can, and lays it into the cache.
 * @throws ProblemError 400 for a query that breaks the operation's rules; what the operation throws otherwise
 */
export type FreeRoute = (target: string) => CachedAnswer | Promise<CachedAnswer>

/** Makes the route of a free operation: query, answer, how long it may be held. */
export function createFreeRoute<Id extends FreeOperationId>(
  id: Id,
  deps: Pick<HttpDeps, 'answers' | 'clock' | 'deadlineMs'>,
  cache: AnswerCache,
): FreeRoute {
  const operation: (typeof OPERATIONS)[Id] = OPERATIONS[id]
  const { path: route, maxAgeSeconds } = operation
  const answers: FreeAnswers = deps.answers
  const answer: FreeHandler<Id> = answers[id]
  const deadlineMs = deps.deadlineMs ?? DEADLINE_MS

  const keep = (target: string, asked: number, answered: FreeAnswer<Id> | AgeingAnswer) => {
    const { expiresAt, isCurrent = never } = answered
    const isAgeing = 'ending' in answered
    // But for endings, ages in answers are counted by the minute.
    const stands = isAgeing ? answered.standsUntil : endOfMinute(asked)
    const made: CachedAnswer = {
      target,
      route,
      representation: isAgeing
        ? answered.representation
        : createJsonRepresentation(JSON.stringify(answered.body)),
      ending: isAgeing ? answered.ending : undefined,
      sent: undefined,
      askedAt: 0,
      maxAgeSeconds,
      expiresAt,
      heldUntil: Math.min(stands, expiresAt ?? Number.POSITIVE_INFINITY),
      isCurrent,
    }
    if (isCurrent !== never) cache.put(made)
    return made
  }

  return (target) => {
    const query = parseQuery<(typeof OPERATIONS)[Id]['query']>(operation.query, rawSearch(target))
    if (!query.ok) throw badQuery(query.errors)
    // By the clock before the answer was made: what it is made of may be newer than this, never older.
    const asked = deps.clock.now()
    const made = answer(query.value)
    // What is there at once needs no time limit, which would cost more than it.
    if (!(made instanceof Promise)) return keep(target, asked, made)
    return withDeadline(made, deadlineMs).then((answered) => keep(target, asked, answered))
  }
}

const never = () => false

/** The refusal of a query that breaks the operation's rules. */
export function badQuery(errors: readonly { parameter: string; code: string; message: string }[]) {
  return new ProblemError(400, 'invalid_query', errors.map((error) => error.message).join('; '), { errors })
}
