import type { Observation, Time } from '../domain/facts/facts.ts'

/**
 * Orders looks as the store does: those of one live check are made in parallel, and a clock may be set back.
 * @param lastAt time of the last look before; none counts as earlier
 */
export function orderLooks(looks: readonly Observation[], lastAt: Time): readonly Observation[] {
  return looks.map((look) => (look.at < lastAt ? { ...look, at: lastAt } : look)).sort((a, b) => a.at - b.at)
}
