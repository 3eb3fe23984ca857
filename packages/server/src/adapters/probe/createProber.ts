import { setMaxListeners } from 'node:events'
import type { LookupFunction } from 'node:net'
import { X402_HEADERS } from '@touchstone402/shared'
import type { ProbeResult, Prober, ProbeTarget } from '../../ports/prober.ts'
import { type AddressPolicyOptions, createAddressPolicy } from './addressPolicy.ts'
import { classifyAnswer } from './classifyAnswer.ts'
import { classifyFailure, type Finding, isOwnFault, OWN_FAULT } from './classifyFailure.ts'
import { type ClientIdentity, createClients } from './clients.ts'
import { DeadlineError } from './deadlineError.ts'
import { decodeBody } from './decodeBody.ts'
import type { Answer, ExchangeContext, ExchangeLimits } from './exchange.ts'
import { followRedirects, type GuardedRequest, RedirectRefusedError } from './followRedirects.ts'
import { createSharedContext } from './guardedConnect.ts'
import { observeChallenge } from './observeChallenge.ts'
import { createResolveHost, type ResolveHost } from './resolveHost.ts'
import { createStallWatch, STALL_MS, type StallSpan } from './watchStalls.ts'
import { createReachWitness } from './witnessReach.ts'

/** What a prober is made of. */
export type ProberOptions = AddressPolicyOptions & {
  /** Where a seller learns who asks: a URL or an address, shown in the first identity's user agent. */
  readonly contact: string
  /** Node's own form. @default a DNS resolver that reads no hosts file */
  readonly lookup?: LookupFunction
  /** Authorities trusted besides node's own, PEM. @default none */
  readonly ca?: readonly string[]
  /** For one probe with its redirects, ms. @default 10000 */
  readonly deadlineMs?: number
}

/** For one probe with its redirects, where nothing else is said. */
export const DEADLINE_MS = 10_000
const MAX_BODY_BYTES = 256 * 1024
/** Room for the OpenAPI document of a host. */
const MAX_DOCUMENT_BYTES = 256 * 1024
/** A probe that has spent more on names, ms, did not give its seller the whole time. */
const MAX_RESOLVING_MS = 1_000

/**
 * Creates the prober: asks endpoints for their price from outside, through the address guard.
 * @throws when `allowPrivate` holds an entry that is no host, or host and port.
 */
export function createProber(options: ProberOptions): Prober {
  const clients = createClients(options.contact)
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS
  const running = new Set<() => void>()
  const stalls = createStallWatch()
  let isClosed = false
  const context: ExchangeContext = {
    policy: createAddressPolicy(options),
    resolveHost: createResolveHost(options.lookup),
    witness: createReachWitness(),
    secureContext: createSharedContext(options.ca),
  }

  /** Asks under the deadline, the caller's signal and the prober's own end. */
  async function askInTime(
    signal: AbortSignal | undefined,
    request: GuardedRequest,
    limits: Omit<ExchangeLimits, 'signal'>,
    limitMs = deadlineMs,
  ): Promise<Answer> {
    const controller = new AbortController()
    const startedAt = performance.now()
    let resolvingMs = 0
    const resolveHost: ResolveHost = async (hostname, until) => {
      const askedAt = performance.now()
      return context.resolveHost(hostname, until).finally(() => {
        resolvingMs += performance.now() - askedAt
      })
    }
    const timer = setTimeout(() => {
      // What our resolver takes of the time is not the seller's to answer for.
      const isLate = performance.now() - startedAt > limitMs + STALL_MS
      controller.abort(new DeadlineError(isLate || resolvingMs > MAX_RESOLVING_MS))
    }, limitMs)
    const stop = () => controller.abort(new DeadlineError(true))
    if (signal !== undefined) {
      // Many probes share one caller's signal; node warns of a leak from the eleventh on.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', stop, { once: true })
    }
    if (isClosed || signal?.aborted === true) stop()
    running.add(stop)
    try {
      const timed = { ...context, resolveHost }
      return await followRedirects(request, timed, { ...limits, signal: controller.signal })
    } finally {
      clearTimeout(timer)
      running.delete(stop)
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Whatever the error says, work that was called off or that we stood still in measured nothing. */
  const judge = (error: unknown, signal: AbortSignal | undefined, span: StallSpan): Finding =>
    isClosed || signal?.aborted === true || span.hasStalled() ? OWN_FAULT : classifyFailure(error)

  return {
    clients: clients.length,
    async probe(target, signal) {
      const client = identityOf(target, clients)
      const span = stalls.begin()
      try {
        const limits = { maxBytes: MAX_BODY_BYTES, wantsBody: (status: number) => status === 402 }
        const answer = await askInTime(signal, toRequest(target, client), limits, target.deadlineMs)
        const result = await describeAnswer(target, client, answer)
        // Who waited for us too long may have answered just that.
        const isDoubtful = result.outcome === 'down' && span.hasStalled()
        return isDoubtful ? describeFailure(target, client, OWN_FAULT, answer.status) : result
      } catch (error) {
        const status = error instanceof RedirectRefusedError ? error.status : null
        return describeFailure(target, client, judge(error, signal, span), status)
      } finally {
        span.end()
      }
    },
    async document(url, signal, onOwnFault) {
      const [client] = clients
      if (client === undefined) return null
      const span = stalls.begin()
      const request = { url, method: 'GET', headers: { ...client.headers, accept: '*/*' }, body: null }
      try {
        const limits = { maxBytes: MAX_DOCUMENT_BYTES, wantsBody: (status: number) => status === 200 }
        const answer = await askInTime(signal, request, limits)
        if (answer.status !== 200 || answer.isTooLarge) return null
        const body = await decodeBody(answer.body, answer.headers['content-encoding'], MAX_DOCUMENT_BYTES)
        return typeof body === 'string' ? null : body.text
      } catch (error) {
        if (isOwnFault(judge(error, signal, span))) onOwnFault?.()
        return null
      } finally {
        span.end()
      }
    },
    async close() {
      isClosed = true
      for (const stop of running) stop()
    },
  }
}

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/** Without a declared body, methods that take one get an empty object: a JSON parser in front of the paywall lets it by. */
function toRequest(target: ProbeTarget, client: ClientIdentity): GuardedRequest {
  const method = target.method.toUpperCase()
  const body = BODY_METHODS.has(method) ? (target.body ?? '{}') : null
  const headers = body === null ? client.headers : { ...client.headers, 'content-type': 'application/json' }
  return { url: target.url, method, headers, body }
}

async function describeAnswer(
  target: ProbeTarget,
  client: ClientIdentity,
  answer: Answer,
): Promise<ProbeResult> {
  const { headers } = answer
  const body = answer.isTooLarge
    ? 'too_large'
    : await decodeBody(answer.body, headers['content-encoding'], MAX_BODY_BYTES)
  const { outcome, cause, challenge } = classifyAnswer({
    status: answer.status,
    header: headers[X402_HEADERS.required.toLowerCase()] ?? null,
    body: typeof body === 'string' ? null : body.text,
    isTooLarge: body === 'too_large',
    // Cloudflare's mark on an answer of its own. Source: its documentation on detecting challenge pages.
    isBotFilter: headers['cf-mitigated'] !== undefined,
    declaresInput: target.declaresInput,
  })
  return {
    client: client.id,
    method: target.method,
    outcome,
    cause,
    httpStatus: answer.status,
    latencyMs: Math.round(answer.latencyMs),
    ...observeChallenge(challenge),
  }
}

/** What a probe says that was never made, or of which nothing is known. */
export function describeOwnFault(target: ProbeTarget, clients: readonly ClientIdentity[]): ProbeResult {
  return describeFailure(target, identityOf(target, clients), OWN_FAULT, null)
}

function identityOf({ client }: ProbeTarget, clients: readonly ClientIdentity[]): ClientIdentity {
  const identity = clients[client % clients.length] ?? clients[0]
  if (identity === undefined) throw new Error('a prober has at least one client')
  return identity
}

function describeFailure(
  target: ProbeTarget,
  client: ClientIdentity,
  { outcome, cause }: Finding,
  httpStatus: number | null,
): ProbeResult {
  return {
    client: client.id,
    method: target.method,
    outcome,
    cause,
    httpStatus,
    latencyMs: null,
    ...observeChallenge(null),
  }
}
