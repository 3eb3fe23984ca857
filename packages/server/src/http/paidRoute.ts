import { OPERATIONS, type PaidOperationId, parseQuery, SNAPSHOT_OPERATIONS } from '@touchstone402/shared'
import type { Request, Response } from 'express'
import type { StoredAnswer } from '../ports/claims.ts'
import type { Production, SaleOutcome } from '../ports/paywall.ts'
import type { Snapshot } from '../ports/snapshots.ts'
import { DEADLINE_MS, withDeadline } from './deadline.ts'
import type { HttpDeps, PaidAnswer, PaidAnswers, PaidHandler } from './deps.ts'
import { badQuery } from './free/freeRoute.ts'
import { whenGone } from './gone.ts'
import { ProblemError, sendRefusal, toRefusal } from './problems.ts'
import { clientKey } from './rateLimit.ts'
import { canonicalCallUrl, rawSearch } from './search.ts'

/**
 * Makes the handler of a paid operation. Payment, claim and settlement are the paywall's; this hands it the query's
 * verdict and a handler whose answer is held back until it is paid.
 */
export function createPaidRoute<Id extends PaidOperationId>(id: Id, deps: HttpDeps) {
  const operation: (typeof OPERATIONS)[Id] = OPERATIONS[id]
  const answers: PaidAnswers = deps.answers
  const answer: PaidHandler<Id> = answers[id]
  const deadlineMs = SNAPSHOT_OPERATIONS.some((snapshot) => snapshot === id)
    ? (deps.snapshotDeadlineMs ?? SNAPSHOT_DEADLINE_MS)
    : (deps.deadlineMs ?? DEADLINE_MS)
  return async (request: Request, response: Response): Promise<void> => {
    const query = parseQuery<(typeof OPERATIONS)[Id]['query']>(operation.query, rawSearch(request.url))
    const produce = async (payer: string, signal: AbortSignal): Promise<Production> => {
      if (!query.ok) return { ok: false, refusal: badQuery(query.errors).refusal }
      try {
        const limit = new AbortController()
        const limited = AbortSignal.any([signal, limit.signal])
        const body = await withDeadline(answer(query.value, { signal: limited, payer }), deadlineMs, limit)
        return { ok: true, answer: toStoredAnswer(body) }
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal.status === 500) deps.onError?.(error)
        return { ok: false, refusal }
      }
    }
    const outcome = await deps.paywall.sell(
      {
        operation: id,
        binding: `GET ${canonicalCallUrl(deps.publicUrl, id, query.ok ? query.value : {})}`,
        paymentSignature: request.get('PAYMENT-SIGNATURE'),
        xPayment: request.get('X-PAYMENT'),
        refusal: query.ok ? null : badQuery(query.errors).refusal,
        client: clientKey(request.ip),
        signal: whenGone(response),
      },
      produce,
    )
    await send(response, outcome, deps)
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }

/** Writing a large dataset takes seconds; the authorization that pays for it is good for two minutes. */
const SNAPSHOT_DEADLINE_MS = 60_000

/** How long a client may take nothing of what it bought. */
const STALLED_MS = 60_000

function toStoredAnswer<Id extends PaidOperationId>(body: PaidAnswer<Id> | Snapshot): StoredAnswer {
  if (isSnapshot(body)) return { status: 200, headers: JSON_TYPE, body: null, snapshot: body.id }
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(body) }
}

const isSnapshot = (body: object): body is Snapshot => 'kind' in body && body.kind === 'snapshot'

async function send(response: Response, outcome: SaleOutcome, deps: HttpDeps): Promise<void> {
  if (outcome.kind === 'abandoned' || response.destroyed) return
  response.setHeader('Cache-Control', 'private, no-store')
  if (outcome.kind === 'refused') {
    sendRefusal(response, outcome.refusal)
    return
  }
  if (outcome.kind === 'delivered') {
    if (outcome.replayed) response.setHeader('Idempotent-Replayed', 'true')
    const { status, headers, body, snapshot } = outcome.answer
    if (snapshot === undefined) sendText(response, status, headers, body ?? '')
    else await sendSnapshot(response, { status, headers, snapshot }, deps)
    return
  }
  sendText(response, 402, { ...JSON_TYPE, ...outcome.headers }, outcome.body)
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

/** Streams a snapshot as fast as the client takes it. */
async function sendSnapshot(
  response: Response,
  { status, headers, snapshot }: Pick<StoredAnswer, 'status' | 'headers'> & { snapshot: string },
  { snapshots, onError }: HttpDeps,
): Promise<void> {
  const reading = await snapshots?.open(snapshot)
  if (reading === undefined) throw new ProblemError(410, 'snapshot_gone', 'This answer is no longer kept.')
  response.writeHead(status, { ...headers, 'Content-Length': reading.bytes })
  // Whoever stops reading must not hold the file open for ever.
  response.setTimeout(STALLED_MS, () => response.destroy())
  try {
    for await (const chunk of reading.chunks) await writeChunk(response, chunk)
    response.end()
  } catch (error) {
    // A client that leaves has paid and may ask again; anything else is a fault of ours, and the connection is gone.
    if (!response.destroyed) response.destroy()
    if (!(error instanceof ClosedEarlyError)) onError?.(error)
  }
}

/** Resolves when the bytes have been handed to the network; rejects when the client has gone. */
function writeChunk(response: Response, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new ClosedEarlyError('the client has gone'))
    if (response.destroyed) return onClose()
    response.once('close', onClose)
    response.write(chunk, (error) => {
      response.off('close', onClose)
      if (error) reject(error)
      else resolve()
    })
  })
}
