import type { Observation } from '../domain/facts/facts.ts'
import { type Differ, tellingDifference } from '../domain/judge/clients.ts'
import { splitEpochs } from '../domain/judge/epochs.ts'
import type { Clock } from '../ports/clock.ts'

/** Maximum number of repeats. A seller with random receivers is likely to show another one within them. */
const REPEATS = 4

/** If a probe shows other terms than the ones before, repeats it at once until the result differs from the first. */
export async function repeatOnDifference(
  clock: Clock,
  before: readonly Observation[],
  first: Observation,
  ask: () => Promise<Observation>,
): Promise<Observation[]> {
  const differ = tellingDifference(before, clock.now())
  const last = before.at(-1)
  const isDifferent = last !== undefined && (differ(last, first) || awaitsConfirmation(before, first, differ))
  const repeats: Observation[] = []
  while (isDifferent && repeats.length < REPEATS) {
    const again = await ask()
    repeats.push(again)
    if (again.outcome !== 'up' || differ(first, again)) break
  }
  return repeats
}

/** Whether a probe names receivers that earlier probes named as well and that are not confirmed yet. */
function awaitsConfirmation(before: readonly Observation[], probe: Observation, differ: Differ): boolean {
  const { epochs, pending } = splitEpochs([...before, probe])
  const current = epochs.at(-1)?.probes.at(-1)
  return pending.includes(probe) && current !== undefined && differ(current, probe)
}
