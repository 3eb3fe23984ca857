import type { Observation } from '../domain/facts/facts.ts'
import { tellingDifference } from '../domain/judge/memory/clients.ts'
import { addEpoch, type Epochs } from '../domain/judge/memory/epochs.ts'
import { limitLook } from '../domain/judge/memory/looks.ts'
import type { Memory } from '../domain/judge/memory/memory.ts'
import { type Differ, termsOf } from '../domain/judge/memory/terms.ts'
import type { Clock } from '../ports/clock.ts'

/** Maximum number of repeats. A seller with random receivers is likely to show another one within them. */
const REPEATS = 4

/** If a probe shows other terms than the ones before, repeats it at once until the result differs from the first. */
export async function repeatOnDifference(
  clock: Clock,
  { clients, epochs }: Pick<Memory, 'clients' | 'epochs'>,
  first: Observation,
  ask: () => Promise<Observation>,
): Promise<Observation[]> {
  const differ = tellingDifference(clients, clock.now())
  const last = clients.latest.at(-1)
  const terms = termsOf(limitLook(first))
  const isDifferent =
    last !== undefined && (differ(last.terms, terms) || awaitsConfirmation(epochs, limitLook(first), differ))
  const repeats: Observation[] = []
  while (isDifferent && repeats.length < REPEATS) {
    const again = await ask()
    repeats.push(again)
    if (again.outcome !== 'up' || differ(terms, termsOf(limitLook(again)))) break
  }
  return repeats
}

/** Whether a probe names receivers that earlier probes named as well and that are not confirmed yet. */
function awaitsConfirmation(before: Epochs, probe: Observation, differ: Differ): boolean {
  const { pending, current } = addEpoch(before, probe)
  const last = current.at(-1)
  return pending.at(-1)?.id === probe.id && last !== undefined && differ(termsOf(last), termsOf(probe))
}
