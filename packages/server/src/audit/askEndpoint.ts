import type { Cause, Listing, Observation } from '../domain/facts/facts.ts'
import { recordId } from '../domain/facts/ids.ts'
import { NO_CHALLENGE } from '../domain/facts/noChallenge.ts'
import type { Worked } from '../domain/judge/refusals.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProbeResult, Prober } from '../ports/prober.ts'

export type AskDeps = {
  readonly prober: Prober
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Called after each probe, for metrics. */
  readonly onProbe?: (probe: { purpose: Observation['purpose']; outcome: ProbeResult['outcome'] }) => void
}

/** How to probe an endpoint. */
export type Target = {
  readonly endpoint: string
  readonly host: string
  readonly url: string
  /** Tried in order until one returns a challenge. */
  readonly methods: readonly string[]
  readonly body: string | null
  readonly declaresInput: boolean
  /** The request that was answered last, if known. Asked when all others fail. */
  readonly worked?: Sent | undefined
}

/** A request as it is sent. */
type Sent = { readonly method: string; readonly url: string; readonly body: string | null }

/** Returns the hash of a request. */
export function requestId({ method, url, body }: Sent): string {
  return recordId('req', method, url, body ?? '')
}

/** One probe: its target, client and purpose. */
export type Ask = Target & {
  /** Index of the client identity. */
  readonly client: number
  readonly purpose: Observation['purpose']
  readonly signal?: AbortSignal | undefined
  /** Timeout per method in milliseconds. @default the prober's own */
  readonly deadlineMs?: number | undefined
  /** Whether another request may be started after the first. @default always */
  readonly mayStart?: (() => boolean) | undefined
}

/**
 * Returns the declared method and sample; without a declared method, GET and then POST.
 * @param own listings of the endpoint, oldest first
 * @param worked the last success, if any
 */
export function describeTarget(
  endpoint: string,
  own: readonly Listing[],
  worked: Worked | undefined,
): Target {
  const listing: Listing | undefined = own.findLast(({ method }) => method !== null) ?? own.at(-1)
  const declared = listing?.method ?? null
  const method = worked?.method ?? 'GET'
  const sent = [...own.toReversed(), { url: endpoint, body: null }].map(({ url, body }) =>
    toSent(method, url, body),
  )
  return {
    endpoint,
    host: new URL(endpoint).host,
    url: listing?.url ?? endpoint,
    methods: declared === null ? [...new Set([method, 'GET', 'POST'])] : [declared],
    body: listing?.body ?? null,
    declaresInput: listing?.declaresInput ?? false,
    worked: worked && sent.find((one) => requestId(one) === worked.request),
  }
}

const toSent = (method: string, url: string, body: string | null): Sent => ({
  method,
  url,
  body: method === 'GET' ? null : body,
})

/** Causes that may be due to the wrong method, such as an HTML page on GET. */
const MAYBE_METHOD: ReadonlySet<Cause> = new Set(['input_needed', 'not_found', 'http_error', 'not_paid'])

/**
 * Probes an endpoint once: by each method until one returns a challenge, and at last by the request that worked before.
 * Records the success, or else the answer to the request that worked before, or else the first answer.
 */
export async function askEndpoint(deps: AskDeps, ask: Ask): Promise<Observation> {
  const { declaresInput, client, deadlineMs, worked } = ask
  const workedId = worked === undefined ? undefined : requestId(worked)
  const requests = ask.methods.map((method) => toSent(method, ask.url, ask.body))
  if (worked !== undefined && !requests.some((sent) => requestId(sent) === workedId)) requests.push(worked)
  let recorded: (ProbeResult & { request: string }) | undefined
  for (const sent of requests) {
    const request = requestId(sent)
    const result = await deps.prober.probe({ ...sent, declaresInput, client, deadlineMs }, ask.signal)
    deps.onProbe?.({ purpose: ask.purpose, outcome: result.outcome })
    const isUp = result.outcome === 'up'
    if (recorded === undefined || isUp || request === workedId) recorded = { ...result, request }
    if (isUp || !MAYBE_METHOD.has(result.cause) || ask.mayStart?.() === false) break
  }
  if (recorded === undefined) throw new Error('a probe needs a method')
  return toObservation(deps, ask, recorded)
}

function toObservation(
  { clock, newId }: AskDeps,
  { endpoint, host, purpose }: Pick<Ask, 'endpoint' | 'host' | 'purpose'>,
  result: ProbeResult,
): Observation {
  return { kind: 'observation', id: newId('obs'), at: clock.now(), endpoint, host, purpose, ...result }
}

/** Probes a path that should not exist, to detect a host that answers 402 on any path. */
export function askControl(
  deps: AskDeps,
  endpoint: string,
  limits: Pick<Ask, 'signal' | 'deadlineMs'> = {},
): Promise<Observation> {
  const { origin, host } = new URL(endpoint)
  const url = `${origin}/${deps.newId('no-such-path')}`
  const target = { endpoint: url, host, url, methods: ['GET'], body: null, declaresInput: false }
  return askEndpoint(deps, { ...target, ...limits, client: 0, purpose: 'control' })
}

/** Records that no probe was made because the host declines probes. */
export function declinedProbe(deps: AskDeps, target: Target, purpose: Observation['purpose']): Observation {
  return toObservation(
    deps,
    { ...target, purpose },
    {
      client: 'none',
      method: target.methods[0] ?? 'GET',
      outcome: 'not_measured',
      cause: 'opted_out',
      httpStatus: null,
      latencyMs: null,
      ...NO_CHALLENGE,
    },
  )
}
