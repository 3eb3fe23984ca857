import { setMaxListeners } from 'node:events'
import type { LookupFunction } from 'node:net'
import type { Egress } from '../config/egressSettings.ts'
import { type ClientIdentity, createClients, realIdentity } from '../facts/clientIdentities.ts'
import { ownFaultOf } from '../facts/facts.ts'
import type { Prober, ProbeTarget } from '../lib/prober.ts'
import { type AddressPolicyOptions, createAddressPolicy } from './addressPolicy.ts'
import type { Answer, GuardedRequest, ReadsBody } from './answer.ts'
import { mayBeFilter } from './botFilter.ts'
import { classifyFailure, type Finding, OWN_FAULT } from './classifyFailure.ts'
import { decodeBody } from './decodeBody.ts'
import { describeAnswer, describeFailure, identityOf } from './describeProbe.ts'
import { DeadlineError, RealClientError, RedirectRefusedError } from './errors.ts'
import { followRedirects, type Send } from './followRedirects.ts'
import { type ConnectContext, createSharedContext } from './guardedConnect.ts'
import { indexOf, type RealClient } from './realClients/realClients.ts'
import { createResolveHost, type ResolveHost } from './resolveHost.ts'
import { createStallWatch, STALL_MS, type StallSpan } from './watchStalls.ts'
import { createReachWitness } from './witnessReach.ts'

/** Options of {@link createProber}. */
export type ProberOptions = AddressPolicyOptions & {
  /** URL or address in the user agent of the first identity, where sellers learn who probes them. */
  readonly contact: string
  /** @default a DNS resolver that ignores the hosts file */
  readonly lookup?: LookupFunction
  /** Trusted authorities besides Node's own, PEM. */
  readonly ca: readonly string[]
  /** Way out of this machine. @default its own */
  readonly egress?: Egress | null
  /** Programs that are run as clients, if the prober is given what sends by them. @default none */
  readonly realClients?: readonly RealClient[]
}

/** Deadline of one probe with its redirects, ms, unless its target sets one: a seller that has to start first takes as long. */
export const DEADLINE_MS = 30_000
const DOCUMENT_MS = 10_000
/** Time for the document with the key of signed offers, ms. */
const KEY_MS = 2_000
/** Probes read challenges, and answers that a bot filter may have made. */
const isRead: ReadsBody = (head) => head.status === 402 || mayBeFilter(head)
const isOk: ReadsBody = ({ status }) => status === 200
/** Size of documents in bytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024
/** Size of a challenge in bytes. Clients read any size, so larger ones are possible, but no honest seller has one. */
const MAX_BODY_BYTES = 1024 * 1024
/** A probe that spends longer on name resolution, ms, leaves its seller too little of the deadline. */
const MAX_RESOLVING_MS = 1_000

type AskOptions = {
  readonly limitMs?: number | undefined
  readonly maxBytes?: number
  /** Sends each request. @default our own client */
  readonly send?: Send | undefined
}

/**
 * Creates a prober that sends requests under the address guard.
 * @param byProgram sends by a program. @default none, so that no process is started
 * @throws for an `allowPrivate` entry that is neither a host nor `host:port`
 */
export function createProber(options: ProberOptions, byProgram?: (client: RealClient) => Send): Prober {
  const clients = createClients(options.contact)
  const realClients = byProgram === undefined ? [] : (options.realClients ?? [])
  const closing = new AbortController()
  const stalls = createStallWatch()
  const context: ConnectContext = {
    policy: createAddressPolicy(options),
    resolveHost: createResolveHost(options.lookup),
    witness: createReachWitness(),
    secureContext: createSharedContext(options.ca),
    egress: options.egress,
  }

  const documentLines: GuardedRequest['lines'] = (url, body) =>
    identityOf({ client: 0 }, clients)
      .lines(url, body)
      .map(([name, value]) => (name === 'accept' ? [name, '*/*'] : [name, value]))

  /** Sends a request that ends at its deadline, by the caller's signal, or when the prober closes. */
  async function askInTime(
    signal: AbortSignal | undefined,
    request: GuardedRequest,
    readsBody: ReadsBody,
    { limitMs = DEADLINE_MS, maxBytes = MAX_BODY_BYTES, send }: AskOptions = {},
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
      // Time lost in our process or resolver is not the seller's fault.
      const isLate = performance.now() - startedAt > limitMs + STALL_MS
      controller.abort(new DeadlineError(isLate || resolvingMs > MAX_RESOLVING_MS))
    }, limitMs)
    const cancel = () => controller.abort(new DeadlineError(true))
    const signals = signal === undefined ? [closing.signal] : [closing.signal, signal]
    // Many probes share these signals; Node warns of a leak from the eleventh listener on.
    setMaxListeners(0, ...signals)
    for (const one of signals) {
      if (one.aborted) cancel()
      one.addEventListener('abort', cancel, { once: true })
    }
    try {
      const limits = { signal: controller.signal, maxBytes, readsBody }
      return await followRedirects(request, { ...context, resolveHost }, limits, send)
    } finally {
      clearTimeout(timer)
      for (const one of signals) one.removeEventListener('abort', cancel)
    }
  }

  /** Returns how a client sends: we write the lines of stock clients, and programs write their own. */
  function sendAs(client: number): Send | undefined {
    if (realIdentity(client) === undefined) return undefined
    const program = realClients.find((one) => indexOf(one) === client)
    if (program === undefined || byProgram === undefined) throw new RealClientError('is not installed')
    return byProgram(program)
  }

  /** Classifies an error. A cancelled request, or one during a stall of ours, measured nothing. */
  const judge = (error: unknown, signal: AbortSignal | undefined, span: StallSpan): Finding =>
    closing.signal.aborted || signal?.aborted === true || span.hasStalled()
      ? OWN_FAULT
      : classifyFailure(error)

  const document: Prober['document'] = async (url, signal, onOwnFault, maxBytes = MAX_DOCUMENT_BYTES) => {
    const span = stalls.begin()
    try {
      const request = { url, method: 'GET', lines: documentLines, body: null }
      const answer = await askInTime(signal, request, isOk, { limitMs: DOCUMENT_MS, maxBytes })
      if (answer.status !== 200 || answer.isTooLarge) return null
      const body = await decodeBody(answer.body, answer.headers['content-encoding'], maxBytes)
      return typeof body === 'string' ? null : body.text
    } catch (error) {
      const cause = ownFaultOf(judge(error, signal, span))
      if (cause !== null) onOwnFault?.(cause)
      return null
    } finally {
      span.end()
    }
  }

  return {
    clients: clients.length,
    realClients: realClients.map(indexOf),
    async probe(target, signal) {
      const client = identityOf(target, clients)
      const span = stalls.begin()
      try {
        const answer = await askInTime(signal, toRequest(target, client), isRead, {
          limitMs: target.deadlineMs,
          send: sendAs(target.client),
        })
        const result = await describeAnswer(target, client, answer, {
          maxBytes: MAX_BODY_BYTES,
          readDocument: (url) => document(url, withLimit(signal)),
        })
        // The answer may be an error because the seller waited too long for us.
        const isDoubtful = result.outcome === 'down' && span.hasStalled()
        return isDoubtful ? describeFailure(target, client, OWN_FAULT, answer.status) : result
      } catch (error) {
        const { status = null, leadsTo } = error instanceof RedirectRefusedError ? error : {}
        const failure = describeFailure(target, client, judge(error, signal, span), status)
        return leadsTo === undefined ? failure : { ...failure, leadsTo }
      } finally {
        span.end()
      }
    },
    document,
    async close() {
      closing.abort()
    },
  }
}

function withLimit(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(KEY_MS)
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/** Builds the request. Undeclared bodies are `{}`, which passes a JSON parser in front of the paywall. */
function toRequest(target: ProbeTarget, client: ClientIdentity): GuardedRequest {
  const method = target.method.toUpperCase()
  const body = BODY_METHODS.has(method) ? (target.body ?? '{}') : null
  return { url: target.url, method, lines: client.lines, body }
}
