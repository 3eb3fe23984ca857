import type { IncomingMessage } from 'node:http'
import { addAbortSignal, Readable } from 'node:stream'
import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { isGuardError } from '../../errors.ts'
import type { Guard } from '../../integrations/createGuard.ts'
import type { GuardedFetch } from '../../integrations/createGuardedFetch.ts'
import type { GuardedAccount } from '../../integrations/guardedAccount.ts'
import { carriesPayment } from '../../paying/payment.ts'
import { CALL_KEY_HEADER } from '../../paying/request.ts'
import { readReceipt } from '../../paying/settlement.ts'
import { paymentOf } from '../../paymentOf.ts'
import type { FetchLike } from '../../types.ts'
import { completeResult, describeError } from '../tools/callEndpoint.ts'
import type { Approvals } from './approvals.ts'
import { headersToReturn, headersToSend, MAX_USD_HEADER } from './messages.ts'

/** Who pays for the calls with one token. */
export type Task = {
  name: string
  guard: Guard
  /** Calls an endpoint and pays; with `--sign` it returns the approved challenge instead. */
  call: GuardedFetch
  signer: GuardedAccount
}

/** An answer to the agent. */
export type Answer = {
  status: number
  statusText?: string
  headers: [string, string][]
  body: Readable | string | null
}

/** Dependencies of {@link forward}. */
export type ForwardDeps = {
  /** Sends a request without paying. */
  open: FetchLike
  approvals: Approvals
}

/** A body that has not ended by then, or is larger, is sent on as it comes, and such a call cannot be paid. */
const BODY_PATIENCE_MS = 200
const MAX_BODY = 8 * 1024 * 1024

/** Makes the call of a request to its target, pays for it within the task, and returns what the agent gets. */
export async function forward(
  deps: ForwardDeps,
  task: Task,
  request: IncomingMessage,
  target: URL,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await callTarget(deps, task, request, target, signal)
    return await toAnswer(task, response, target)
  } catch (error) {
    return reportError(deps, task, error)
  }
}

async function callTarget(
  { open }: ForwardDeps,
  { name, call }: Task,
  request: IncomingMessage,
  target: URL,
  signal: AbortSignal,
): Promise<Response> {
  const { method = 'GET' } = request
  const headers = headersToSend(request)
  const maxUsd = request.headersDistinct[MAX_USD_HEADER]?.join()
  const init = { method, headers, signal, redirect: 'manual' as const }
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const hasBody = coding !== undefined || Number(length ?? 0) > 0
  const body = hasBody ? await readBody(request, signal) : null
  if (!(body instanceof Readable)) {
    // Equal calls of two tasks are two calls: neither may have what the other paid for.
    headers.set(CALL_KEY_HEADER, `${name}:${request.headersDistinct[CALL_KEY_HEADER]?.join() ?? ''}`)
    return call(target.href, {
      ...init,
      ...(maxUsd !== undefined && { maxUsd }),
      ...(body !== null && { body }),
    })
  }
  if (carriesPayment(headers)) throw new BodyNotRepeatable()
  if (length !== undefined) headers.set('content-length', length)
  const streamed = { ...init, body: Readable.toWeb(body) as ReadableStream, duplex: 'half' }
  const response = await open(target.href, streamed)
  if (response.status !== 402) return response
  await response.body?.cancel()
  throw new BodyNotRepeatable()
}

/** The call must be paid, but its body cannot be sent a second time. */
class BodyNotRepeatable extends Error {
  override readonly name = 'BodyNotRepeatable'
}

/** Reads a body that is small and comes at once, or whose length is known and small. Returns all others as a stream. */
async function readBody(
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | Readable> {
  const length = Number(request.headers['content-length'] ?? Number.NaN)
  if (length > MAX_BODY) return request
  const source = addAbortSignal(signal, request)
  const chunks: Buffer[] = []
  let size = 0
  const late = Symbol('late')
  const patience = Number.isNaN(length)
    ? new Promise((resolve) => setTimeout(resolve, BODY_PATIENCE_MS, late))
    : null
  const iterator = source[Symbol.asyncIterator]()
  // The stream below may never be read.
  const take = () => {
    const taken = iterator.next()
    taken.catch(() => {})
    return taken
  }
  let next = take()
  while (size <= MAX_BODY) {
    const read = await (patience === null ? next : Promise.race([next, patience]))
    if (read === late) break
    const { done, value } = await next
    if (done) return new Uint8Array(Buffer.concat(chunks))
    chunks.push(value)
    size += value.length
    next = take()
  }
  return Readable.from(
    (async function* () {
      yield* chunks
      for (let rest = await next; !rest.done; rest = await take()) yield rest.value
    })(),
    { objectMode: false },
  )
}

async function toAnswer(task: Task, response: Response, target: URL): Promise<Answer> {
  const { status, statusText, body } = response
  const own = await describePayment(task, response)
  return {
    ...{ status, statusText, headers: [...headersToReturn(response, target), ...own] },
    body: body === null ? null : Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
  }
}

/** Returns the headers that say what an answer cost, why it was paid, and what is left. */
async function describePayment({ guard }: Task, response: Response): Promise<[string, string][]> {
  const paid = paymentOf(response)
  const receipt = readReceipt(response.headers)
  if (paid === null) return [['touchstone-state', 'none']]
  const { paymentId, intent } = paid
  const [budget, verdict] = await Promise.all([
    guard.budget().catch(() => null),
    guard.serviceUrl === null ? null : guard.verdict(intent.endpoint).catch(() => null),
  ])
  const lefts = [budget?.task?.remainingUsd, budget?.day.remainingUsd, budget?.total.remainingUsd]
  const known = lefts.flatMap((left) => (typeof left === 'string' ? [usdToAtomic(left)] : []))
  const [remaining = 0n] = known.sort((a, b) => Number(a - b))
  return [
    ['touchstone-state', receipt === null ? 'sent' : 'settled'],
    ['touchstone-payment', paymentId],
    ['touchstone-amount-usd', intent.amountUsd],
    ...(receipt?.transaction ? [['touchstone-transaction', receipt.transaction] as [string, string]] : []),
    ['touchstone-verdict', verdict?.state === 'signed' ? verdict.verdict.verdict : 'none'],
    ['touchstone-remaining-usd', formatUsdc(remaining)],
  ]
}

const BODY_TOO_LARGE = {
  code: 'BODY_NOT_REPEATABLE',
  reason:
    'The call must be paid, and its body cannot be sent twice: it is larger than 8 MiB, or came slowly.',
  remedy: 'Send a body of at most 8 MiB with a Content-Length.',
}

/** Statuses of failures in which nothing was signed and the guard refused nothing. */
const STATUSES: Record<string, number> = { PrivateAddressError: 403, TimeoutError: 504 }

/** Reports a call that was refused or got no answer. */
async function reportError(
  { approvals }: ForwardDeps,
  { name, guard }: Task,
  error: unknown,
): Promise<Answer> {
  if (error instanceof BodyNotRepeatable)
    return toJson(413, { paid: false, state: 'none', ...BODY_TOO_LARGE })
  const result = await completeResult(guard, describeError(error))
  if (!isGuardError(error)) return toJson(STATUSES[result.code ?? ''] ?? 502, result)
  const approval = approvals.findPending(name, error.intent)
  if (approval === undefined) return toJson(result.state === 'none' ? 402 : 502, result)
  const { id, expiresAt } = approval
  return toJson(403, {
    ...result,
    ...{
      code: 'APPROVAL_PENDING',
      approval: { id, why: error.code, expiresAt: new Date(expiresAt).toISOString() },
    },
    remedy: `Ask the operator to approve ${id} (touchstone approve ${id}), then repeat the call.`,
  })
}

/** Creates an answer of the proxy itself. */
export function toJson(status: number, data: object): Answer {
  const code = 'code' in data && typeof data.code === 'string' ? data.code : null
  const refused: [string, string][] = code === null ? [] : [['touchstone-code', code]]
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['cache-control', 'no-store'],
    ...refused,
  ]
  return { status, headers, body: `${JSON.stringify(data)}\n` }
}
