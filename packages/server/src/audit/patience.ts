import type { Observation } from '../facts/facts.ts'

/** Time in ms for a seller that did not answer in many probes. A seller that has to start first gets the prober's own. */
const SHORT_MS = 10_000
/** Number of timeouts in a row up to which a seller gets the full time: more than are needed to call it dark. */
const FULL_TIMES = 3
/** Time in ms from the start of a probe after which it starts no further request. */
const PROBE_MS = 30_000

/**
 * Returns the time limit of the next scheduled request; undefined for the prober's own. An endpoint that hangs would hold
 * a worker for the full time at each probe, so after some timeouts in a row only every third one is as long: enough to
 * find a slow seller that is back.
 * @param probes of the endpoint, oldest first
 */
export function patienceFor(probes: readonly Observation[]): number | undefined {
  const measured = probes.filter(
    ({ outcome, purpose }) => outcome !== 'not_measured' && purpose !== 'control',
  )
  const silent = measured.length - 1 - measured.findLastIndex(({ cause }) => cause !== 'timeout')
  return silent <= FULL_TIMES || silent % 3 === 0 ? undefined : SHORT_MS
}

/** Returns a test whether the probe that begins now may start another request. In real time. */
export function startProbe(): () => boolean {
  const endsAt = performance.now() + PROBE_MS
  return () => performance.now() < endsAt
}
