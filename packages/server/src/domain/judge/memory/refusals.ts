import { type DailyMeasurements, foldDays } from '../../facts/dailyMeasurements.ts'
import type { Cause, Observation, Time } from '../../facts/facts.ts'
import { groupBy } from '../../facts/groupBy.ts'
import { LIMITS } from '../spec.ts'

/** Statuses of a route that was removed. */
const GONE: ReadonlySet<number | null> = new Set([404, 410])
/** Statuses of a handler that takes other input than was sent. */
export const OTHER_INPUT: ReadonlySet<number | null> = new Set([400, 405, 415, 422])

/** The last success, by which refusals are judged. */
export type Worked = { readonly at: Time; readonly method: string; readonly request?: string }

/**
 * Decides by history whether a probe without a measurement is a failure: 404 and 410 to the request that worked before,
 * and a refused input once everything that declares the input was read again and asked. The prober cannot decide this,
 * since it knows no history. 401, 403 and 429 are never failures, since they may be about the prober.
 * @param worked the last success before the probe
 * @param firstAt time of the endpoint's first look
 */
export function settleRefusal(probe: Observation, worked: Worked | null, firstAt: Time): Observation {
  if (probe.cause !== 'input_needed') return probe
  if (isGone(probe, worked)) return { ...probe, outcome: 'down', cause: 'not_found' }
  const since = worked?.at ?? firstAt
  // Directories are read several times within this time, and their newest listing is asked.
  const isSettled = probe.reread === true && probe.at - since >= LIMITS.inputSettledMs
  return isSettled && OTHER_INPUT.has(probe.httpStatus)
    ? { ...probe, outcome: 'down', cause: 'http_error' }
    : probe
}

/** Returns what a success says of later refusals. */
export function toWorked({ at, method, request }: Observation): Worked {
  return { at, method, ...(request !== undefined && { request }) }
}

const isGone = (probe: Observation, worked: Worked | null) =>
  GONE.has(probe.httpStatus) &&
  probe.request !== undefined &&
  worked?.method === probe.method &&
  worked.request === probe.request

/** Settles the refusals among all looks at an endpoint, oldest first. */
export function settleRefusals(observations: readonly Observation[]): readonly Observation[] {
  let worked: Worked | null = null
  return observations.map((probe) => {
    const settled = settleRefusal(probe, worked, observations[0]?.at ?? probe.at)
    if (probe.outcome === 'up') worked = toWorked(probe)
    return settled
  })
}

/**
 * Counts the probes of a host by endpoint and day, refusals settled.
 * @param observations of the host, oldest first
 * @param counted those to count. @default all
 */
export function foldSettled(
  observations: readonly Observation[],
  counted: readonly Observation[] = observations,
): DailyMeasurements[] {
  const ids = new Set(counted.map(({ id }) => id))
  const probes = observations.filter(({ purpose }) => purpose !== 'control')
  const settled = [...groupBy(probes, ({ endpoint }) => endpoint).values()].flatMap(settleRefusals)
  return foldDays(settled.filter(({ id }) => ids.has(id)))
}

/** Causes of probes that were answered without terms that can be checked. */
const REFUSED: ReadonlySet<Cause> = new Set(['blocked', 'input_needed', 'unsupported'])

/** The last probes in a row that the endpoint refused. */
export type Refusals = {
  readonly count: number
  /** Ids of the last three. */
  readonly ids: readonly string[]
}

export const NO_REFUSALS: Refusals = { count: 0, ids: [] }

/** Adds a settled probe. Live checks do not count. */
export function addRefusal(before: Refusals, { id, purpose, outcome, cause }: Observation): Refusals {
  if (purpose === 'live') return before
  if (outcome !== 'not_measured') return NO_REFUSALS
  if (!REFUSED.has(cause)) return before
  return { count: before.count + 1, ids: [...before.ids, id].slice(-LIMITS.refusedLooks) }
}

/** Returns the refusals if there are enough to matter, else none. */
export function findRefusals(refusals: Refusals): Refusals {
  return refusals.count < LIMITS.refusedLooks ? NO_REFUSALS : refusals
}
