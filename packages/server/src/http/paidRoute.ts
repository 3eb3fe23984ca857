import type { ServerResponse } from 'node:http'
import {
  OPERATIONS,
  type OperationId,
  type PaidOperationId,
  parseQuery,
  SNAPSHOT_OPERATIONS,
  X402_HEADERS,
} from '@touchstone402/shared'
import type { Request, Response } from 'express'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { logFailure } from '../lib/logFailure.ts'
import type { Log } from '../lib/logging.ts'
import { ProblemError } from '../lib/problemError.ts'
import type { Production, SaleOutcome } from '../payments/paywall.ts'
import type { StoredAnswer } from '../store/claims.ts'
import type { Snapshot } from './answers/snapshots.ts'
import type { HttpParts, PaidAnswer, PaidAnswers, PaidHandler } from './deps.ts'
import { badQuery, DEADLINE_MS, rawSearch, withDeadline } from './free/freeRoute.ts'
import { HTML_TYPE, logFault, preferredForm, sendRefusal, toRefusal } from './problems.ts'
import { clientKey } from './rateLimit.ts'
import { requestIdOf } from './requestId.ts'
import { PAGE_HEADERS, setHeaders } from './securityHeaders.ts'

type PaidContext = Pick<Context, 'log' | 'stopping'> & { readonly config: Pick<Config, 'publicUrl'> }
type PaidParts = Pick<HttpParts, 'answers' | 'errorPages' | 'paywall' | 'snapshots' | 'soldTokens'>

/** Time limit of a live check, which waits 30 seconds for a seller that has to start first. */
export const LIVE_DEADLINE_MS = 45_000

/** Creates the handler of a paid operation. The paywall holds the answer back until it is paid. */
export function createPaidRoute<Id extends PaidOperationId>(ctx: PaidContext, parts: PaidParts, id: Id) {
  const operation: (typeof OPERATIONS)[Id] = OPERATIONS[id]
  const { config, log } = ctx
  const { errorPages, paywall } = parts
  const answers: PaidAnswers = parts.answers
  const answer: PaidHandler<Id> = answers[id]
  const mayWrite = SNAPSHOT_OPERATIONS.some((snapshot) => snapshot === id)
  return async (request: Request, response: Response): Promise<void> => {
    const query = parseQuery<(typeof OPERATIONS)[Id]['query']>(operation.query, rawSearch(request.url))
    const requestId = requestIdOf(response)
    const produce = async (payer: string, signal: AbortSignal): Promise<Production> => {
      if (!query.ok) return { ok: false, refusal: badQuery(query.errors).refusal }
      try {
        const limit = new AbortController()
        // With an endpoint, `/trust` measures it and writes no snapshot.
        const measures = mayWrite && 'endpoint' in query.value && query.value.endpoint !== undefined
        const deadlineMs = measures ? LIVE_DEADLINE_MS : mayWrite ? SNAPSHOT_DEADLINE_MS : DEADLINE_MS
        const limited = AbortSignal.any([signal, limit.signal])
        const body = await withDeadline(answer(query.value, { signal: limited, payer }), deadlineMs, limit)
        return { ok: true, answer: toStoredAnswer(body) }
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal.status === 500) logFault(log, error, requestId)
        return { ok: false, refusal }
      }
    }
    const refusal = query.ok ? null : badQuery(query.errors).refusal
    const outcome = await paywall.sell(
      {
        requestId,
        operation: id,
        binding: `GET ${canonicalCallUrl(config.publicUrl, id, query.ok ? query.value : {})}`,
        paymentSignature: request.get('PAYMENT-SIGNATURE'),
        xPayment: request.get('X-PAYMENT'),
        refusal,
        client: clientKey(request.ip),
        signal: whenGone(response),
      },
      produce,
    )
    const token = query.ok && 'token' in query.value ? query.value.token : undefined
    if (outcome.kind === 'delivered' && typeof token === 'string') noteToken(ctx, parts, token)
    const toPage = (terms: string) =>
      errorPages.payment({ operation: id, search: rawSearch(request.url), refusal, terms })
    await send(ctx, parts, request, response, { outcome, toPage })
  }
}

/** Notes in the background that a token was sold; a stop may cut it. */
function noteToken({ log, stopping }: PaidContext, { soldTokens }: PaidParts, token: string): void {
  soldTokens.note(token).catch((error: unknown) => {
    if (!stopping.aborted) logFailure(log, 'sold token', error)
  })
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }

// A large dataset takes seconds to write; the authorization that pays for it is valid for two minutes.
const SNAPSHOT_DEADLINE_MS = 60_000

/** Time without progress after which a download is cut. */
const STALLED_MS = 60_000

function toStoredAnswer<Id extends PaidOperationId>(body: PaidAnswer<Id> | Snapshot): StoredAnswer {
  if (isSnapshot(body)) return { status: 200, headers: JSON_TYPE, body: null, snapshot: body.id }
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(body) }
}

const isSnapshot = (body: object): body is Snapshot => 'kind' in body && body.kind === 'snapshot'

type Sale = {
  readonly outcome: SaleOutcome
  /** Renders a challenge for browsers. */
  readonly toPage: (terms: string) => string
}

async function send(
  { log }: PaidContext,
  { errorPages, snapshots }: PaidParts,
  request: Request,
  response: Response,
  { outcome, toPage }: Sale,
): Promise<void> {
  if (outcome.kind === 'abandoned' || response.destroyed) return
  response.setHeader('Cache-Control', 'private, no-store')
  if (outcome.kind === 'refused') {
    sendRefusal(request, response, outcome.refusal, errorPages)
    return
  }
  if (outcome.kind === 'delivered') {
    if (outcome.replayed) response.setHeader('Idempotent-Replayed', 'true')
    const { status, headers, body, snapshot } = outcome.answer
    if (snapshot === undefined) sendText(response, status, headers, body ?? '')
    else await sendSnapshot(log, snapshots, response, { status, headers, snapshot })
    return
  }
  response.setHeader('Vary', 'Accept')
  const page =
    preferredForm(request) === 'html' ? toPage(outcome.headers[X402_HEADERS.required] ?? '') : undefined
  if (page !== undefined) setHeaders(response, PAGE_HEADERS)
  const type = page === undefined ? JSON_TYPE : { 'Content-Type': HTML_TYPE }
  sendText(response, 402, { ...type, ...outcome.headers }, page ?? outcome.body)
}

function sendText(
  response: Response,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length })
  response.end(bytes)
}

class ClosedEarlyError extends Error {
  override readonly name = 'ClosedEarlyError'
}

/** Streams a snapshot with back pressure. */
async function sendSnapshot(
  log: Log,
  snapshots: PaidParts['snapshots'],
  response: Response,
  { status, headers, snapshot }: Pick<StoredAnswer, 'status' | 'headers'> & { snapshot: string },
): Promise<void> {
  const reading = await snapshots.open(snapshot)
  if (reading === undefined) throw new ProblemError(410, 'snapshot_gone', 'This answer has been deleted.')
  response.writeHead(status, { ...headers, 'Content-Length': reading.bytes })
  // A stalled client must not hold the file open.
  response.setTimeout(STALLED_MS, () => response.destroy())
  try {
    for await (const chunk of reading.chunks) await writeChunk(response, chunk)
    response.end()
  } catch (error) {
    // A client that left has paid and may retry; anything else is our own fault.
    if (!response.destroyed) response.destroy()
    if (!(error instanceof ClosedEarlyError)) logFault(log, error, requestIdOf(response))
  }
}

/** Resolves when the chunk is flushed; rejects if the client disconnects. */
function writeChunk(response: Response, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new ClosedEarlyError('the client disconnected'))
    if (response.destroyed) return onClose()
    response.once('close', onClose)
    response.write(chunk, (error) => {
      response.off('close', onClose)
      if (error) reject(error)
      else resolve()
    })
  })
}

/** Returns a signal that aborts if the connection closes before the answer is sent. */
function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  if (response.destroyed || response.socket?.destroyed) gone.abort()
  return gone.signal
}

/**
 * Returns the canonical URL of a call: unknown parameters removed, the others normalised and in the order of the contract,
 * so equivalent calls have equal URLs.
 */
function canonicalCallUrl(
  publicUrl: string,
  id: OperationId,
  query: Readonly<Record<string, unknown>>,
): string {
  const operation = OPERATIONS[id]
  const parameters = Object.keys(operation.query)
    .filter((name) => query[name] !== undefined && query[name] !== false)
    .map((name) => `${name}=${encodeURIComponent(query[name] === true ? '1' : String(query[name]))}`)
  return `${publicUrl}${operation.path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`
}
