import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CachedAnswer, SentAnswer } from './answerCache.ts'
import { cacheControl, chooseCoding, type Outgoing, prepare, write } from './representation.ts'

/**
 * Sends the answer of a free operation.
 * @param now milliseconds since 1970 by the audit's clock
 * @returns once it is sent; undefined where that could be done at once
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: CachedAnswer,
  now: number,
): Promise<void> | undefined {
  const ready = readyAnswer(answer, request.headers['accept-encoding'], now)
  if (ready instanceof Promise) return ready.then((outgoing) => write(request, response, outgoing))
  write(request, response, ready.outgoing)
  return undefined
}

const KEPT_IF_ASKED_WITHIN_MS = 1000

/**
 * An answer as it goes out now, at once unless it has to be compressed.
 * @param accepted the client's Accept-Encoding
 * @param now milliseconds since 1970 by the audit's clock
 */
export function readyAnswer(
  answer: CachedAnswer,
  accepted: string | undefined,
  now: number,
): SentAnswer | Promise<Outgoing> {
  const { representation, maxAgeSeconds, expiresAt, sent } = answer
  const control = cacheControl(maxAgeSeconds, expiresAt, now)
  const coding = chooseCoding(accepted, representation.body.length)
  if (sent !== undefined && now < sent.until && sent.coding === coding && sent.control === control)
    return sent
  const ending = answer.ending?.(now)
  const until = ending?.until ?? Number.POSITIVE_INFINITY
  const outgoing = prepare(representation, coding, { cacheControl: control, ending })
  if (outgoing instanceof Promise) return outgoing
  const ready = { outgoing, head: undefined, coding, control, until }
  // What is asked for often is kept: putting it together costs as much as sending it. More would be for the collector.
  if (now - answer.askedAt < KEPT_IF_ASKED_WITHIN_MS) answer.sent = ready
  else answer.askedAt = now
  return ready
}
