import type { Context } from '../context.ts'
import type { Cause, Observation, OwnFault } from '../facts/facts.ts'
import { NO_CHALLENGE } from '../facts/noChallenge.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { ProbeResult, Prober } from '../lib/prober.ts'
import { requestId, type Target, toSent } from './describeTarget.ts'

/** Context of a probe. */
export type AskContext = Pick<Context, 'clock' | 'ids'> & {
  readonly metrics: Pick<Metrics, 'probe'>
  readonly prober: Prober
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

/** Causes that may be due to the wrong method, such as an HTML page on GET. */
const MAYBE_METHOD: ReadonlySet<Cause> = new Set(['input_needed', 'not_found', 'http_error', 'not_paid'])
/** Maximum number of requests of one probe. */
const MAX_REQUESTS = 8

/** Result of one request of a probe. */
type Asked = ProbeResult & { readonly request: string }

/**
 * Probes an endpoint once: by one request after the other until one returns a challenge. Records the success, or else the
 * answer to the request that worked before, or else the first answer.
 */
export async function askEndpoint(ctx: AskContext, ask: Ask): Promise<Observation> {
  const { client, deadlineMs } = ask
  const declared = ask.methods.map((method) => toSent(method, ask))
  const requests = new Map([...declared, ...(ask.others ?? [])].map((sent) => [requestId(sent), sent]))
  const asked: Asked[] = []
  for (const [request, sent] of [...requests].slice(0, MAX_REQUESTS)) {
    const isFirst = asked.length === 0
    const declaresInput = isFirst && ask.declaresInput
    const result = await ctx.prober.probe({ ...sent, declaresInput, client, deadlineMs }, ask.signal)
    ctx.metrics.probe({ purpose: ask.purpose, outcome: result.outcome })
    asked.push({ ...result, request })
    const isOther = isFirst && ask.isKnown === true ? MAYBE_METHOD.has(result.cause) : isAnswered(result)
    if (result.outcome === 'up' || !isOther || ask.mayStart?.() === false) break
  }
  return toObservation(ctx, ask, chooseResult(asked, ask))
}

/** Whether the answer to a request that the host neither declared nor answered before leaves others to try. */
const isAnswered = ({ httpStatus }: ProbeResult) =>
  httpStatus !== null && httpStatus !== 402 && httpStatus !== 429

function chooseResult(asked: readonly Asked[], { worked, isKnown = false }: Ask): Asked {
  const [first] = asked
  const decisive =
    asked.find(({ outcome }) => outcome === 'up') ?? asked.find(({ request }) => request === worked)
  if (first === undefined) throw new Error('a probe needs a method')
  if (decisive !== undefined || isKnown) return decisive ?? first
  const broken = asked.find(({ httpStatus }) => httpStatus === 402)
  if (broken !== undefined) return broken
  // A handler that wants other input shows that a page or a fault before it was due to the wrong method.
  return asked.find(({ httpStatus }) => WANTS_INPUT.has(httpStatus)) ?? first
}

/** Statuses of a handler that read its input. */
const WANTS_INPUT: ReadonlySet<number | null> = new Set([400, 415, 422])

function toObservation(
  { clock, ids }: AskContext,
  { endpoint, host, purpose }: Pick<Ask, 'endpoint' | 'host' | 'purpose'>,
  result: ProbeResult,
): Observation {
  return { kind: 'observation', id: ids.newId('obs'), at: clock.now(), endpoint, host, purpose, ...result }
}

/** Probes a path that should not exist, to detect a host that answers 402 on any path. */
export function askControl(
  ctx: AskContext,
  endpoint: string,
  limits: Pick<Ask, 'signal' | 'deadlineMs'> = {},
): Promise<Observation> {
  const { origin, host } = new URL(endpoint)
  const url = `${origin}/${ctx.ids.newId('no-such-path')}`
  const target = { endpoint: url, host, url, methods: ['GET'], body: null, declaresInput: false }
  return askEndpoint(ctx, { ...target, ...limits, client: 0, purpose: 'control' })
}

/** Records that no probe was made: the host declines probes, or whether it does could not be read by a fault of ours. */
export function omittedProbe(
  ctx: AskContext,
  target: Target,
  purpose: Observation['purpose'],
  cause: 'opted_out' | OwnFault,
): Observation {
  return toObservation(
    ctx,
    { ...target, purpose },
    {
      client: 'none',
      method: target.methods[0] ?? 'GET',
      outcome: 'not_measured',
      cause,
      httpStatus: null,
      latencyMs: null,
      ...NO_CHALLENGE,
    },
  )
}
