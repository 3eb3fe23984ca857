import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type { Observation } from '../facts/facts.ts'
import type { Carried } from '../facts/hostDocument.ts'

/** What some looks add to what was carried before. */
export type CarriedOn = {
  readonly carried: Carried
  /** Days that ended with these looks, oldest first. */
  readonly days: readonly DailyMeasurements[]
}

/**
 * Carries what a judgement needs over some looks at one endpoint. Carrying over all looks at once or over each in turn
 * gives the same.
 * @param looks oldest first, none before the last one carried; control probes are left out
 */
export function carry(_before: Carried | undefined, _looks: readonly Observation[]): CarriedOn {
  throw new Error('not built yet')
}
