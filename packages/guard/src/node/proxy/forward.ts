import type { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
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
import { BodyRefusedError, type BodyRoom, withBody } from './requestBody.ts'

/** Who pays for the calls with one token. */
export type Task = {
  name: string
  guard: Guard
  /** Calls an endpoint and pays; with `--sign` it returns the approved challenge instead. */
  call: GuardedFetch
  signer: GuardedAccount
  /** Number of its calls under way. */
  underWay: number
}

/** Facts of a call in progress. */
export type CallFacts = {
  /** SHA-256 of its body; empty without one. */
  body: string
  /** The verdict that allowed its payment; null without one. */
  verdict: string | null
}

/** Dependencies of {@link forward}. */
export type ForwardDeps = {
  /** Sends a request without paying. */
  open: FetchLike
  approvals: Approvals
  /** The call that a question or a decision of a guard is about. */
  calls: AsyncLocalStorage<CallFacts>
  room: BodyRoom
}

/** Makes the call of a request to its target, pays for it within the task, and returns what the agent gets. */
export function forward(
  deps: ForwardDeps,
  task: Task,
  request: IncomingMessage,
  target: URL,
  signal: AbortSignal,
): Promise<Response> {
  const facts: CallFacts = { body: '', verdict: null }
  const call = async (body: Buffer | Readable | null) => {
    if (Buffer.isBuffer(body)) facts.body = createHash('sha256').update(body).digest('hex')
    const response = await callTarget(deps, task, request, target, signal, body)
    const own = await describePayment(task, response, facts)
    const { body: content, status, statusText } = response
    return new Response(content, {
      ...{ status, statusText, headers: [...headersToReturn(response, target), ...own] },
    })
  }
  return deps.calls.run(facts, () =>
    withBody(request, signal, deps.room, call).catch((error: unknown) => reportError(deps, task, error)),
  )
}

async function callTarget(
  { open }: ForwardDeps,
  { name, call }: Task,
  request: IncomingMessage,
  target: URL,
  signal: AbortSignal,
  body: Buffer | Readable | null,
): Promise<Response> {
  const { method = 'GET' } = request
  const headers = headersToSend(request)
  const maxUsd = request.headersDistinct[MAX_USD_HEADER]?.join()
  const init = { method, headers, signal, redirect: 'manual' as const }
  if (method === 'TRACE' || (body !== null && ['GET', 'HEAD'].includes(method))) throw noBody(method)
  if (!(body instanceof Readable)) {
    // Equal calls of two tasks are two calls: neither may have what the other paid for.
    headers.set(CALL_KEY_HEADER, `${name}:${request.headersDistinct[CALL_KEY_HEADER]?.join() ?? ''}`)
    const given = {
      ...(maxUsd !== undefined && { maxUsd }),
      ...(body !== null && { body: body as BodyInit }),
    }
    return call(target.href, { ...init, ...given })
  }
  if (carriesPayment(headers)) throw notRepeatable()
  const { 'content-length': length } = request.headers
  if (length !== undefined) headers.set('content-length', length)
  const streamed = { ...init, body: Readable.toWeb(body) as ReadableStream, duplex: 'half' }
  const response = await open(target.href, streamed)
  if (response.status !== 402) return response
  await response.body?.cancel()
  throw notRepeatable()
}

const notRepeatable = () =>
  new BodyRefusedError(
    413,
    'BODY_NOT_REPEATABLE',
    'The call must be paid, and its body cannot be sent twice: give it a Content-Length of at most 4 MiB.',
  )
const noBody = (method: string) =>
  new BodyRefusedError(
    400,
    'REQUEST_INVALID',
    `The proxy sends no ${method === 'TRACE' ? 'TRACE' : `${method} with a body`}.`,
  )

/** Returns the headers with the cost of an answer, the reason for paying, and the remaining budget. */
async function describePayment(
  { guard }: Task,
  response: Response,
  { verdict }: CallFacts,
): Promise<[string, string][]> {
  const paid = paymentOf(response)
  const receipt = readReceipt(response.headers)
  if (paid === null) return [['touchstone-state', 'none']]
  const { paymentId, intent } = paid
  const budget = await guard.budget().catch(() => null)
  const lefts = [budget?.task?.remainingUsd, budget?.day.remainingUsd, budget?.total.remainingUsd]
  const known = lefts.flatMap((left) => (typeof left === 'string' ? [usdToAtomic(left)] : []))
  const [remaining = 0n] = known.sort((a, b) => Number(a - b))
  return [
    ['touchstone-state', receipt === null ? 'sent' : 'settled'],
    ['touchstone-payment', paymentId],
    ['touchstone-amount-usd', intent.amountUsd],
    ...(receipt?.transaction ? [['touchstone-transaction', receipt.transaction] as [string, string]] : []),
    ['touchstone-verdict', verdict ?? 'none'],
    ['touchstone-remaining-usd', formatUsdc(remaining)],
  ]
}

/** Statuses of failures in which nothing was signed and the guard refused nothing. */
const STATUSES: Record<string, number> = { PrivateAddressError: 403, TimeoutError: 504 }

/** Reports a call that was refused or got no answer. */
async function reportError(
  { approvals }: ForwardDeps,
  { name, guard }: Task,
  error: unknown,
): Promise<Response> {
  if (error instanceof BodyRefusedError) {
    const { status, code, message: reason } = error
    return toJson(status, { paid: false, state: 'none', code, reason })
  }
  const result = await completeResult(guard, describeError(error))
  if (!isGuardError(error)) return toJson(STATUSES[result.code ?? ''] ?? 502, result)
  // If a payment was sent, or no approval would allow it, the refusal already has the remedy.
  const approval = result.state === 'none' ? approvals.findPending(name, error) : undefined
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

/** Creates an answer of the proxy itself, with the code of a refusal as a header too. */
export function toJson(status: number, data: Readonly<Record<string, unknown>>): Response {
  const refused: Record<string, string> = data.code ? { 'touchstone-code': `${data.code}` } : {}
  const text = `${JSON.stringify(data)}\n`
  const frame = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` }
  return new Response(text, { status, headers: { ...frame, 'cache-control': 'no-store', ...refused } })
}
