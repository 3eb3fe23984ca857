import { Pool } from 'undici'
import { ChainError } from '../chainError.ts'
import type { ReadOptions } from '../types.ts'
import { collectCalls, createBatch } from './batch.ts'
import { type ByteSink, type ReceivedBody, receiveBody } from './body.ts'
import { looksLikeContractFault } from './contractFault.ts'
import type { RpcCounts } from './rpcPurpose.ts'
import { type RpcFault, RpcTimeout, toFailure } from './rpcReply.ts'
import type { Outcome, RpcCall, RpcRequest } from './rpcRequest.ts'

/** HTTP reply of an RPC. */
export type HttpReply = ReceivedBody & { readonly status: number; readonly retryAfterMs: number | null }

/** One JSON-RPC URL, over kept-alive connections. */
export type RpcEndpoint = {
  /** Index of the URL in the configuration. Errors name an RPC by this number only. */
  readonly ordinal: number
  /** Host of the URL, without what may be secret. */
  readonly host: string
  /** @throws ChainError `reverted` if the contract reverted, RpcFailure for any other fault */
  call(method: string, params: readonly unknown[], options?: ReadOptions): Promise<unknown>
  /**
   * Makes several calls, in one HTTP request if the RPC takes batches. Returns their outcomes in order.
   *
   * @throws ChainError, RpcFailure if the batch as a whole failed
   */
  batch(calls: readonly RpcCall[], options?: ReadOptions): Promise<Outcome[]>
  /**
   * Posts a request, or a batch of them, and returns the raw reply with any status.
   * A body with a status below 400 streams to the sink, if there is one.
   *
   * @throws ChainError `unreachable`, `deadline` or `too_large`
   * @throws RpcTimeout
   */
  post(
    request: RpcRequest | readonly RpcRequest[],
    options?: PostOptions,
    sink?: ByteSink,
  ): Promise<HttpReply>
  /** HTTP requests so far. */
  requests(): number
  /** Requests so far without a usable answer: no reply in time, overload, or an error of the RPC's own. */
  failures(): number
  close(): Promise<void>
}

/** Options of one request. */
export type PostOptions = ReadOptions & {
  /**
   * Ranges in a row that the RPC did not answer in time: each halves the wait for the first byte, and half of what is
   * left until the deadline stays for a smaller range. @default the request may take all of the time
   */
  readonly slowRanges?: number
}

/** Options of one RPC URL. */
export type RpcEndpointOptions = {
  readonly url: string
  readonly ordinal: number
  /** Unix time in ms. */
  readonly now: () => number
  /** Counts of JSON-RPC calls by purpose. @default none */
  readonly counts?: RpcCounts
  /** Time for the first byte of a range, in ms. @default 20,000 */
  readonly rangeTimeoutMs?: number
}

const CONNECTIONS = 8
/** Time that one request may take. */
const TIMEOUT_MS = 20_000
/** Halvings of the time for the first byte of a range. */
const MAX_HALVINGS = 3
/** A shorter wait for a range proves nothing. */
const LEAST_WAIT_MS = 1000
/** Causes other than time by which a connection ends although the request was taken. */
const CUT: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  'ECONNRESET',
])
/** Maximum bytes of a body, both as sent and as decoded. */
const MAX_BODY_BYTES = 256 * 1024 * 1024

/** Creates a client for one RPC URL. It follows no redirects and keeps the URL's credentials out of errors. */
export function createRpcEndpoint(options: RpcEndpointOptions): RpcEndpoint {
  const { ordinal, now, rangeTimeoutMs = TIMEOUT_MS } = options
  const url = new URL(options.url)
  const path = url.pathname + url.search
  const headers = headersOf(url)
  const connections = new Pool(url.origin, {
    connections: CONNECTIONS,
    keepAliveTimeout: 30_000,
    connect: { timeout: Math.min(TIMEOUT_MS, 10_000) },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  let requests = 0
  let failures = 0
  let closing: Promise<void> | null = null

  const post: RpcEndpoint['post'] = async (request, read = {}, sink) => {
    const count = Array.isArray(request) ? request.length : 1
    if (read.allowance !== undefined) read.allowance.left -= count
    if (read.allowance !== undefined && read.allowance.left < 0)
      throw new ChainError('deadline', 'No requests left of the allowance')
    requests++
    options.counts?.add(read.purpose ?? 'other', count)
    const left = (read.deadlineAt ?? Number.POSITIVE_INFINITY) - now()
    if (left <= 0) throw new ChainError('deadline', 'No time left for another RPC request')
    const timer = AbortSignal.timeout(Math.ceil(Math.min(left, TIMEOUT_MS)))
    const slow = new AbortController()
    const patience =
      read.slowRanges === undefined
        ? undefined
        : setTimeout(() => slow.abort(), waitForRange(read.slowRanges, left))
    const signal = AbortSignal.any([timer, slow.signal, ...(read.signal ? [read.signal] : [])])
    try {
      const body = JSON.stringify(request)
      const reply = await connections.request({ path, method: 'POST', headers, body, signal })
      clearTimeout(patience)
      const received = await receiveBody(reply.body, {
        zipped: reply.headers['content-encoding'] === 'gzip',
        maxBytes: MAX_BODY_BYTES,
        sink: reply.statusCode < 400 ? sink : undefined,
      })
      const retryAfterMs = readRetryAfter(reply.headers['retry-after'], now())
      if (reply.statusCode === 429 || reply.statusCode >= 500) failures++
      return { ...received, status: reply.statusCode, retryAfterMs }
    } catch (cause) {
      if (!read.signal?.aborted) failures++
      if (cause instanceof ChainError) throw cause
      const isDeadline = read.signal?.aborted || (left <= TIMEOUT_MS && timer.aborted)
      if (isDeadline) throw new ChainError('deadline', 'The RPC did not answer before the deadline')
      if (timer.aborted || slow.signal.aborted) throw new RpcTimeout('The RPC did not answer in time')
      // The cause may quote the URL, which may hold a key: only its code is kept.
      const code = (cause as { code?: unknown }).code
      if (CUT.has(code)) throw new RpcTimeout(`The RPC did not answer (${code})`)
      throw new ChainError('unreachable', `The RPC could not be reached (${code})`)
    } finally {
      clearTimeout(patience)
    }
  }
  const waitForRange = (slowRanges: number, left: number): number => {
    const wait = Math.min(rangeTimeoutMs / 2 ** Math.min(slowRanges, MAX_HALVINGS), left / 2)
    // The end of the time says nothing about the range.
    return wait < Math.min(LEAST_WAIT_MS, rangeTimeoutMs / 8) ? TIMEOUT_MS : wait
  }

  /** Counts a fault unless it is a contract's, or was counted with its status. */
  const noteFault = (fault: RpcFault) => {
    if (fault.status !== 429 && fault.status < 500 && !looksLikeContractFault(fault)) failures++
  }

  const batch = createBatch({ ordinal, now, post, noteFault })
  const ask = collectCalls(batch)

  return {
    ordinal,
    host: url.host,
    post,
    async call(method, params, read) {
      const outcome = await ask({ method, params }, read)
      if ('result' in outcome) return outcome.result
      const { fault } = outcome
      if (looksLikeContractFault(fault))
        throw new ChainError('reverted', `RPC ${ordinal} refused ${method}: ${fault.message}`, {
          cause: fault,
        })
      throw toFailure(ordinal, method, fault)
    },
    batch,
    requests: () => requests,
    failures: () => failures,
    close: () => {
      // Requests in progress end with an error: an RPC that never answers would hold up the process.
      closing ??= connections.destroy()
      return closing
    },
  }
}

function headersOf({ username, password }: URL): Record<string, string> {
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
  if (username === '') return headers
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { ...headers, authorization: `Basic ${Buffer.from(login).toString('base64')}` }
}

function readRetryAfter(value: string | string[] | undefined, nowMs: number): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
