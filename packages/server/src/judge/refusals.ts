import type { Cause, Observation } from '../facts/facts.ts'
import { LIMITS } from './spec.ts'

/** Statuses of a route that was removed. */
const GONE: ReadonlySet<number | null> = new Set([404, 410])
/** Statuses of a handler that takes other input than was sent. */
export const OTHER_INPUT: ReadonlySet<number | null> = new Set([400, 405, 415, 422])

/** A success, by which later refusals are judged. */
export type Worked = Pick<Observation, 'at' | 'method' | 'request'>

/**
 * Decides by history which probes without a measurement are failures: 404 and 410 to the request that worked before, and
 * a refused input once everything that declares the input was read again and asked. The prober cannot decide this, since
 * it knows no history. 401, 403 and 429 are never failures, since they may be about the prober.
 * @param probes of one endpoint, oldest first
 * @param wasDown whether the endpoint was down before them, so that its last success is not among them. @default false
 */
export function settleRefusals(
  observations: readonly Observation[],
  wasDown = false,
): readonly Observation[] {
  let worked: Worked | undefined
  return observations.map((probe): Observation => {
    if (probe.outcome === 'up') worked = probe
    if (probe.cause !== 'input_needed') return probe
    if (isGone(probe, worked, wasDown)) return { ...probe, outcome: 'down', cause: 'not_found' }
    const since = (worked ?? observations[0] ?? probe).at
    // Directories are read several times within this time, and their newest listing is asked.
    const isSettled = probe.reread === true && probe.at - since >= LIMITS.inputSettledMs
    return isSettled && OTHER_INPUT.has(probe.httpStatus)
      ? { ...probe, outcome: 'down', cause: 'http_error' }
      : probe
  })
}

function isGone(probe: Observation, worked: Worked | undefined, wasDown: boolean): boolean {
  if (!GONE.has(probe.httpStatus) || probe.request === undefined) return false
  if (worked === undefined) return wasDown
  return worked.method === probe.method && worked.request === probe.request
}

/** Causes of probes that were answered without terms that can be checked. */
const REFUSED: ReadonlySet<Cause> = new Set(['blocked', 'input_needed', 'unsupported'])

/** Returns the last probes in a row that the endpoint refused, if there are enough to matter; else none. */
export function findRefusals(observations: readonly Observation[]): readonly Observation[] {
  const asked = observations.filter(({ purpose }) => purpose !== 'live')
  const answered = asked.findLastIndex(({ outcome }) => outcome !== 'not_measured')
  const refused = asked.slice(answered + 1).filter(({ cause }) => REFUSED.has(cause))
  return refused.length < LIMITS.refusedProbes ? [] : refused
}
