import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { stopSignal } from '../createHttpServer.ts'
import { DEADLINE_MS, withDeadline } from '../deadline.ts'
import type { EventLimits, HttpDeps, PageRequest, Progress } from '../deps.ts'
import { readParams } from '../pageRoute.ts'
import { ProblemError } from '../problems.ts'
import { clientKey } from '../rateLimit.ts'
import { rawSearch } from '../search.ts'

const EVENT_LIMITS: EventLimits = {
  perClient: 6,
  total: 200,
  everyMs: 1000,
  heartbeatMs: 15_000,
  maxMs: 300_000,
}
/** A reader that takes nothing is dropped at this many unsent bytes. */
const MAX_UNSENT_BYTES = 65_536
/** Time after which a browser connects again. */
const RETRY_MS = 3000

/** Creates handlers that send the progress of a page as server-sent events; they share the limits. */
export function createEventRoutes(deps: Pick<HttpDeps, 'eventLimits' | 'deadlineMs'>) {
  const limits = deps.eventLimits ?? EVENT_LIMITS
  const slots = createSlots(limits)
  const inTime = <T>(answer: Promise<T>) => withDeadline(answer, deps.deadlineMs ?? DEADLINE_MS)
  return (read: (request: PageRequest) => Promise<Progress>) =>
    async (request: Request, response: Response): Promise<void> => {
      const client = clientKey(request.ip)
      const params = readParams(request)
      const asked = { params, search: rawSearch(request.url), accepts: 'json', client } as const
      const release = slots.take(client)
      try {
        // Errors are ordinary answers until the stream begins.
        const first = await inTime(read(asked))
        sendHead(response)
        if (request.method !== 'HEAD') {
          // A browser that connects again gets the error as an ordinary answer.
          await sendEvents(request, response, { first, next: () => inTime(read(asked)), limits }).catch(
            () => {},
          )
        }
        response.end()
      } finally {
        release()
      }
    }
}

/** Counts open streams. */
function createSlots({ perClient, total }: EventLimits) {
  const open = new Map<string, number>()
  let all = 0
  return {
    /**
     * Takes a slot; returns what gives it back.
     * @throws ProblemError 429 if the client has too many, 503 if all are taken
     */
    take(client: string): () => void {
      const held = open.get(client) ?? 0
      const refuse = (status: number, detail: string) =>
        new ProblemError(status, 'too_many_streams', detail, { retryAfterSeconds: 10 })
      if (held >= perClient) throw refuse(429, `At most ${perClient} streams may be open at once.`)
      if (all >= total) throw refuse(503, 'Too many streams are open; try again later.')
      open.set(client, held + 1)
      all++
      return () => {
        const left = (open.get(client) ?? 1) - 1
        if (left > 0) open.set(client, left)
        else open.delete(client)
        all--
      }
    },
  }
}

function sendHead(response: Response): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Proxies would hold events back.
    'X-Accel-Buffering': 'no',
  })
}

type Events = { first: Progress; next: () => Promise<Progress>; limits: EventLimits }

/** Sends each change until the work is over, the reader leaves, the server stops or the time is up. */
async function sendEvents(
  request: Request,
  response: Response,
  { first, next, limits }: Events,
): Promise<void> {
  const { everyMs, heartbeatMs, maxMs } = limits
  const left = new AbortController()
  response.once('close', () => left.abort())
  const signals = [left.signal, AbortSignal.timeout(maxMs), stopSignal(request.socket)]
  const end = AbortSignal.any(signals.filter((signal) => signal !== undefined))
  let sent = ''
  let sentAt = performance.now()
  const send = (text: string) => {
    response.write(text)
    sentAt = performance.now()
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy()
  }
  send(`retry: ${RETRY_MS}\n\n`)
  for (let state = first; !end.aborted; state = await next()) {
    const data = JSON.stringify(state.data)
    if (data !== sent) send(`event: ${state.isOver ? 'over' : 'progress'}\ndata: ${data}\n\n`)
    else if (performance.now() - sentAt >= heartbeatMs) send(':\n\n')
    sent = data
    if (state.isOver) return
    await sleep(everyMs, undefined, { signal: end }).catch(() => {})
  }
}
