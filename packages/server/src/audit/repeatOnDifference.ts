import type { Observation } from '../facts/facts.ts'
import { type History, limitOffers } from '../judge/history.ts'
import { readReceivers } from '../judge/past.ts'
import { type Differ, termsOf } from '../judge/terms.ts'

/** Maximum number of repeats. A seller with random receivers is likely to show another one within them. */
const REPEATS = 4

/**
 * If a probe shows other terms than the ones before, repeats it at once until the result differs from the first.
 * @param before the probes up to it
 * @param ask undefined once the probe has no time left
 */
export async function repeatOnDifference(
  before: History,
  first: Observation,
  ask: () => Promise<Observation | undefined>,
): Promise<Observation[]> {
  const { differ } = before.comparison
  const last = before.seen.at(-1)
  const terms = termsOf(limitOffers(first))
  const isDifferent =
    last !== undefined &&
    (differ(last.terms, terms) || awaitsConfirmation(before, limitOffers(first), differ))
  const repeats: Observation[] = []
  while (isDifferent && repeats.length < REPEATS) {
    const again = await ask()
    if (again === undefined) break
    repeats.push(again)
    if (again.outcome !== 'up' || differ(terms, termsOf(limitOffers(again)))) break
  }
  return repeats
}

/** Whether a probe names receivers that earlier probes named as well and that are not confirmed yet. */
function awaitsConfirmation({ probes, past }: History, probe: Observation, differ: Differ): boolean {
  const { pending, epochs } = readReceivers({ probes: [...probes, probe], past })
  const last = epochs.at(-1)?.probes.at(-1)
  return pending.at(-1)?.id === probe.id && last !== undefined && differ(termsOf(last), termsOf(probe))
}
