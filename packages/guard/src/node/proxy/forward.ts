import type { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { isGuardError } from '../../errors.ts'
import type { Guard } from '../../integrations/createGuard.ts'
import type { GuardedFetch } from '../../integrations/createGuardedFetch.ts'
import type { GuardedAccount } from '../../integrations/guardedAccount.ts'
import { CALL_KEY_HEADER } from '../../paying/calls/request.ts'
import { carriesPayment } from '../../paying/payment.ts'
import { readReceipt } from '../../paying/settlement.ts'
import { liveCheckOf, paymentOf } from '../../paymentOf.ts'
import type { FetchLike } from '../../types.ts'
import { completeResult, describeError } from '../tools/callEndpoint.ts'
import { chargedUsd } from '../tools/chargedUsd.ts'
import { type AskedCall, remedyOf } from './approvals.ts'
import { headersToReturn, headersToSend, MAX_USD_HEADER, toJson } from './messages.ts'
import { BodyRefusedError, bodyLength, MAX_BODY, withBody } from './requestBody.ts'
import type { Shares } from './shares.ts'

/** Who pays for the calls with one token. */
export type Task = {
  name: string
  guard: Guard
  /** Calls an endpoint and pays; with `--sign` it returns the approved challenge instead. */
  call: GuardedFetch
  signer: GuardedAccount
}

/** Facts of a call in progress. */
export type CallFacts = AskedCall & {
  /** The verdict that allowed its payment; null without one. */
  verdict: string | null
}

/** Dependencies of {@link forward}. */
export type ForwardDeps = {
  /** Sends a request without paying. */
  open: FetchLike
  /** The call that a question or a decision of a guard is about. */
  calls: AsyncLocalStorage<CallFacts>
  /** Room for bodies, in bytes. */
  bodies: Shares
}

/** Makes the call of a request to its target, pays for it within the task, and returns what the agent gets. */
export function forward(
  deps: ForwardDeps,
  task: Task,
  request: IncomingMessage,
  target: URL,
  signal: AbortSignal,
): Promise<Response> {
  const type = request.headers['content-type'] ?? null
  const facts: CallFacts = { body: null, type, approval: null, verdict: null }
  const call = async (body: Buffer | Readable | null) => {
    if (Buffer.isBuffer(body)) facts.body = body
    const response = await callTarget(deps, task, request, target, signal, body)
    const own = await describePayment(task, response, facts)
    const { body: content, status, statusText } = response
    return new Response(content, {
      status,
      statusText,
      headers: [...headersToReturn(response, target), ...own],
    })
  }
  const room = { shares: deps.bodies, holder: task.name }
  return deps.calls.run(facts, () =>
    judgeHead(task, request, target)
      .then(() => withBody(request, signal, room, call))
      .catch((error: unknown) => reportError(task, facts, error)),
  )
}

/** Refuses a call by its head, before its body is waited for. */
async function judgeHead({ guard }: Task, request: IncomingMessage, target: URL): Promise<void> {
  const { method = 'GET' } = request
  const length = bodyLength(request)
  if (method === 'TRACE') throw noBody(method)
  if (length === 0) return
  if (length !== null && ['GET', 'HEAD'].includes(method)) throw noBody(method)
  const headers = headersToSend(request)
  if (length !== null && length > MAX_BODY) refuseCredentials(headers)
  // The guard judges payments with their call, whose body counts.
  if (!headers.has('authorization') || carriesPayment(headers)) return
  if (guard.policy.foreignCredentials !== 'refuse') return
  const passed = new Error('The guard has passed the credentials.')
  const judge = guard.fetch(() => Promise.reject(passed))
  // Equal to no call before.
  const own = { authorization: headers.get('authorization') ?? '', [CALL_KEY_HEADER]: randomUUID() }
  await judge(target.href, { method, headers: own }).catch((error: unknown) => {
    if (error !== passed) throw error
  })
}

/** Refuses a payment or a sign-in of a call whose body is not kept: the guard does not see such calls. */
function refuseCredentials(headers: Headers): void {
  if (carriesPayment(headers) || headers.has('sign-in-with-x')) throw notRepeatable()
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
  if (body !== null && ['GET', 'HEAD'].includes(method)) throw noBody(method)
  if (!(body instanceof Readable)) {
    // Equal calls of two tasks are two calls: neither may have what the other paid for.
    headers.set(CALL_KEY_HEADER, `${name}:${request.headersDistinct[CALL_KEY_HEADER]?.join() ?? ''}`)
    const given = {
      ...(maxUsd !== undefined && { maxUsd }),
      ...(body !== null && { body: body as BodyInit }),
    }
    return call(target.href, { ...init, ...given })
  }
  refuseCredentials(headers)
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
    'The call must be paid or signed in for, and its body cannot be sent twice: give it a Content-Length of at most 4 MiB.',
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
  const check = liveCheckOf(response)
  const checked: [string, string][] = check ? [['touchstone-live-check-usd', check.amountUsd]] : []
  if (paid === null)
    return [['touchstone-state', 'none'], ['touchstone-charged-usd', chargedUsd(check)], ...checked]
  const { paymentId, intent, isRepeat } = paid
  const { amountUsd } = intent
  const budget = await guard.budget().catch(() => null)
  const lefts = [budget?.task?.remainingUsd, budget?.day.remainingUsd, budget?.total.remainingUsd]
  const known = lefts.flatMap((left) => (typeof left === 'string' ? [usdToAtomic(left)] : []))
  const [remaining = 0n] = known.sort((a, b) => Number(a - b))
  return [
    ['touchstone-state', receipt === null ? 'sent' : 'settled'],
    ['touchstone-payment', paymentId],
    ['touchstone-amount-usd', amountUsd],
    ['touchstone-charged-usd', chargedUsd({ state: 'sent', amountUsd, isRepeat }, check)],
    ...checked,
    ...(receipt?.transaction ? [['touchstone-transaction', receipt.transaction] as [string, string]] : []),
    ['touchstone-verdict', verdict ?? 'none'],
    ['touchstone-remaining-usd', formatUsdc(remaining)],
  ]
}

/** Statuses of failures in which nothing was signed and the guard refused nothing. */
const STATUSES: Record<string, number> = { PrivateAddressError: 403, TimeoutError: 504 }

/** Reports a call that was refused or got no answer. */
async function reportError({ guard }: Task, { approval }: CallFacts, error: unknown): Promise<Response> {
  if (error instanceof BodyRefusedError) {
    const { status, code, message: reason } = error
    return toJson(status, { paid: false, state: 'none', code, reason })
  }
  const result = await completeResult(guard, describeError(error))
  if (!isGuardError(error)) return toJson(STATUSES[result.code ?? ''] ?? 502, result)
  // If a payment was sent, or no approval would allow it, the refusal already has the remedy.
  const isPending = result.state === 'none' && approval?.question.code === error.code
  if (!isPending || approval === null) return toJson(result.state === 'none' ? 402 : 502, result)
  const { id, expiresAt } = approval
  return toJson(403, {
    ...result,
    code: 'APPROVAL_PENDING',
    approval: { id, why: error.code, expiresAt: new Date(expiresAt).toISOString() },
    remedy: remedyOf(approval),
  })
}
