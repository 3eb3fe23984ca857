import type { Cause, Listing, Observation } from '../domain/facts/facts.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProbeResult, Prober } from '../ports/prober.ts'
import type { HostFacts } from '../ports/store.ts'

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
}

/** One probe: its target, client and purpose. */
export type Ask = Target & {
  /** Index of the client identity. */
  readonly client: number
  readonly purpose: Observation['purpose']
  readonly signal?: AbortSignal | undefined
  /** Timeout per method in milliseconds. @default the prober's own */
  readonly deadlineMs?: number
}

/** Returns the declared method and sample; without a declared method, GET and then POST. */
export function describeTarget(
  endpoint: string,
  { listings, observations }: Pick<HostFacts, 'listings' | 'observations'>,
): Target {
  const own = listings.filter((listing) => listing.endpoint === endpoint)
  const listing: Listing | undefined = own.findLast(({ method }) => method !== null) ?? own.at(-1)
  const answered = observations.findLast(
    (probe) => probe.endpoint === endpoint && probe.outcome === 'up',
  )?.method
  const declared = listing?.method ?? null
  return {
    endpoint,
    host: new URL(endpoint).host,
    url: listing?.url ?? endpoint,
    methods: declared === null ? [...new Set([answered ?? 'GET', 'GET', 'POST'])] : [declared],
    body: listing?.body ?? null,
    declaresInput: listing?.declaresInput ?? false,
  }
}

/** Causes that may be due to the wrong method, such as an HTML page on GET. */
const MAYBE_METHOD: ReadonlySet<Cause> = new Set(['input_needed', 'not_found', 'http_error', 'not_paid'])

/** Probes an endpoint once, trying each method until one returns a challenge. */
export async function askEndpoint(deps: AskDeps, ask: Ask): Promise<Observation> {
  const { url, declaresInput, client, deadlineMs } = ask
  let first: ProbeResult | undefined
  for (const method of ask.methods) {
    const body = method === 'GET' ? null : ask.body
    const result = await deps.prober.probe(
      { url, method, body, declaresInput, client, deadlineMs },
      ask.signal,
    )
    deps.onProbe?.({ purpose: ask.purpose, outcome: result.outcome })
    first ??= result
    if (result.outcome === 'up') first = result
    if (result.outcome === 'up' || !MAYBE_METHOD.has(result.cause)) break
  }
  if (first === undefined) throw new Error('a probe needs a method')
  return toObservation(deps, ask, first)
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
      versions: [],
      offers: [],
      resourceOrigin: null,
      declaresInput: false,
      declaresOutput: false,
      disagreements: [],
      problems: [],
    },
  )
}
