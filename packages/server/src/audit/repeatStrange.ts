import type { Observation } from '../domain/facts/facts.ts'
import { type Differ, tellingDifference } from '../domain/judge/clients.ts'
import { splitEpochs } from '../domain/judge/epochs.ts'
import type { Clock } from '../ports/clock.ts'

/** A host that shows other terms is asked this often more at once: who draws receivers by lot shows another one. */
const REPEATS = 4

/** Where a look shows other terms than those before it, looks again at once, until a look is unlike the first. */
export async function repeatStrange(
  { clock }: { readonly clock: Clock },
  before: readonly Observation[],
  first: Observation,
  ask: () => Promise<Observation>,
): Promise<Observation[]> {
  const differ = tellingDifference(before, clock.now())
  const last = before.at(-1)
  const isStrange = last !== undefined && (differ(last, first) || awaitsConfirmation(before, first, differ))
  if (!isStrange) return []
  const isOther = (again: Observation) => differ(first, again)
  const looks: Observation[] = []
  for (let times = 0; times < REPEATS; times++) {
    const again = await ask()
    looks.push(again)
    if (again.outcome !== 'up' || isOther(again)) break
  }
  return looks
}

/** Whether a look names receivers that looks before it have named as well, and that are not confirmed yet. */
function awaitsConfirmation(before: readonly Observation[], look: Observation, differ: Differ): boolean {
  const { epochs, pending } = splitEpochs([...before, look])
  const current = epochs.at(-1)?.looks.at(-1)
  return pending.includes(look) && current !== undefined && differ(current, look)
}
