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

/** What to ask an endpoint for. */
export type Target = {
  readonly endpoint: string
  readonly host: string
  readonly url: string
  /** In the order in which they are tried. */
  readonly methods: readonly string[]
  readonly body: string | null
  readonly declaresInput: boolean
}

/** One question: as whom, and why. */
export type Ask = Target & {
  /** Index of the client identity. */
  readonly client: number
  readonly purpose: Observation['purpose']
  readonly signal?: AbortSignal | undefined
  /** For each method that is tried, in milliseconds. @default the prober's own */
  readonly deadlineMs?: number
}

/** What to ask: the declared method and sample, or GET and then POST where nothing is declared. */
export function describeTarget(
  endpoint: string,
  { listings, observations }: Pick<HostFacts, 'listings' | 'observations'>,
): Target {
  const own = listings.filter((listing) => listing.endpoint === endpoint)
  const listing: Listing | undefined = own.findLast(({ method }) => method !== null) ?? own.at(-1)
  const answered = observations.findLast(
    (look) => look.endpoint === endpoint && look.outcome === 'up',
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

/** What may only mean that the method is the wrong one: a page for people at GET is no fault of what is sold at POST. */
const MAYBE_METHOD: ReadonlySet<Cause> = new Set(['input_needed', 'not_found', 'http_error', 'not_paid'])

/** Asks once; where no method is declared, by each in turn until one answers with a challenge. */
export async function askEndpoint(deps: AskDeps, ask: Ask): Promise<Observation> {
  const { url, declaresInput, client, endpoint, host, purpose, deadlineMs } = ask
  let first: ProbeResult | undefined
  for (const method of ask.methods) {
    const body = method === 'GET' ? null : ask.body
    const result = await deps.prober.probe(
      { url, method, body, declaresInput, client, deadlineMs },
      ask.signal,
    )
    deps.onProbe?.({ purpose, outcome: result.outcome })
    first ??= result
    if (result.outcome === 'up') first = result
    if (result.outcome === 'up' || !MAYBE_METHOD.has(result.cause)) break
  }
  if (first === undefined) throw new Error('a probe needs a method')
  return {
    kind: 'observation',
    id: deps.newId('obs'),
    at: deps.clock.now(),
    endpoint,
    host,
    purpose,
    ...first,
  }
}

/** Asks for a path that should not exist: a host that wants payment for it wants it for anything. */
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

/** The record of a look that was not made because the host declines probes. */
export function declinedLook(deps: AskDeps, target: Target, purpose: Observation['purpose']): Observation {
  return {
    kind: 'observation',
    id: deps.newId('obs'),
    at: deps.clock.now(),
    endpoint: target.endpoint,
    host: target.host,
    purpose,
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
  }
}
