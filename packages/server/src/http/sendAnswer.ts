import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CachedAnswer, SentAnswer } from './answerCache.ts'
import { cacheControl, chooseCoding, prepare, write } from './representation.ts'

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
  const { representation, maxAgeSeconds, expiresAt, sent } = answer
  const control = cacheControl(maxAgeSeconds, expiresAt, now)
  const coding = chooseCoding(request.headers['accept-encoding'], representation.body.length)
  if (sent !== undefined && now < sent.until && sent.coding === coding && sent.control === control) {
    write(request, response, sent.outgoing)
    return undefined
  }
  const ending = answer.ending?.(now)
  const until = ending?.until ?? Number.POSITIVE_INFINITY
  const outgoing = prepare(representation, coding, { cacheControl: control, ending })
  if (outgoing instanceof Promise) return outgoing.then((packed) => write(request, response, packed))
  write(request, response, outgoing)
  keep(answer, { outgoing, coding, control, until })
  return undefined
}

/** What is asked for twice before it ends is kept as it was sent: putting it together costs as much as sending it. */
function keep(answer: CachedAnswer, sent: SentAnswer): void {
  if (answer.askedUntil === sent.until) answer.sent = sent
  else answer.askedUntil = sent.until
}
