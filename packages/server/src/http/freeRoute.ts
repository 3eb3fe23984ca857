import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FreeOperationId, OPERATIONS, parseQuery } from '@touchstone402/shared'
import type { AnswerCache } from './answerCache.ts'
import { DEADLINE_MS, withDeadline } from './deadline.ts'
import type { FreeAnswers, FreeHandler, HttpDeps } from './deps.ts'
import { ProblemError } from './problems.ts'
import { cacheControl, createJsonRepresentation, sendRepresentation } from './representation.ts'
import { rawSearch } from './search.ts'

/** Answers a plain call of a free operation. */
export type FreeRoute = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const MINUTE = 60_000

/** Makes the route of a free operation: query, answer, caching headers. */
export function createFreeRoute<Id extends FreeOperationId>(
  id: Id,
  deps: HttpDeps,
  cache: AnswerCache,
): FreeRoute {
  const operation: (typeof OPERATIONS)[Id] = OPERATIONS[id]
  const answers: FreeAnswers = deps.answers
  const answer: FreeHandler<Id> = answers[id]
  const deadlineMs = deps.deadlineMs ?? DEADLINE_MS
  return async (request, response) => {
    const query = parseQuery<(typeof OPERATIONS)[Id]['query']>(operation.query, rawSearch(request))
    if (!query.ok) throw badQuery(query.errors)
    // By the clock before the answer was made: what it is made of may be newer than this, never older.
    const asked = deps.clock.now()
    const made = answer(query.value)
    // What is there at once needs no time limit, which would cost more than it.
    const answered = made instanceof Promise ? await withDeadline(() => made, deadlineMs) : made
    const { expiresAt, isCurrent } = answered
    const representation = createJsonRepresentation(
      'text' in answered ? answered.text : JSON.stringify(answered.body),
    )
    const { maxAgeSeconds } = operation
    if (isCurrent) {
      // Ages in answers are counted by the minute.
      const minuteEnds = (Math.floor(asked / MINUTE) + 1) * MINUTE
      const heldUntil = Math.min(minuteEnds, expiresAt ?? Number.POSITIVE_INFINITY)
      cache.put(request.url ?? '', {
        route: operation.path,
        representation,
        maxAgeSeconds,
        expiresAt,
        heldUntil,
        isCurrent,
      })
    }
    await sendRepresentation(request, response, representation, {
      cacheControl: cacheControl(maxAgeSeconds, expiresAt, deps.clock.now()),
    })
  }
}

/** The refusal of a query that breaks the operation's rules. */
export function badQuery(errors: readonly { parameter: string; code: string; message: string }[]) {
  return new ProblemError(400, 'invalid_query', errors.map((error) => error.message).join('; '), { errors })
}
