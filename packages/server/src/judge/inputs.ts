import type { Observation } from '../facts/facts.ts'
import { LIMITS } from './spec.ts'
import { amountsDiffer, payeesDiffer, termsOf } from './terms.ts'

/** Terms that follow the input: two probes with other input, each with the usual one beside it. */
export type FollowedInput = {
  /** Whether the receiver differs; else the price. */
  readonly isReceiver: boolean
  readonly input: NonNullable<Observation['input']>
  readonly usual: Observation
  readonly other: Observation
  readonly ids: readonly string[]
}

/** Whether a probe sent another value that the host declares. */
export const isDeclaredInput = ({ input }: Observation) => input === 'declared'

const termsDiffer = (a: Observation, b: Observation) =>
  payeesDiffer(termsOf(a), termsOf(b)) || amountsDiffer(termsOf(a), termsOf(b))

/**
 * Finds terms that follow the input. Holding the client, another input was answered with another receiver or price within a
 * minute of the usual one; and holding the input, the newest two clients saw the same.
 * @param probes with the usual input that returned terms, oldest first
 * @param inputs probes with other input that returned terms, oldest first
 */
export function findFollowedInput(
  probes: readonly Observation[],
  inputs: readonly Observation[],
): FollowedInput | null {
  for (const last of inputs.toReversed()) {
    const { request, client } = last
    const isNewest = inputs.findLast((probe) => probe.request === request) === last
    const before = inputs.findLast((probe) => probe.request === request && probe.client !== client)
    if (!isNewest || before === undefined || last.input === undefined || termsDiffer(before, last)) continue
    const [usual, earlier] = [usualBeside(last, probes), usualBeside(before, probes)]
    if (usual === undefined || earlier === undefined) continue
    if (!termsDiffer(usual, last) || !termsDiffer(earlier, before)) continue
    const isReceiver = payeesDiffer(termsOf(usual), termsOf(last))
    const ids = [earlier, before, usual, last].map(({ id }) => id)
    return { isReceiver, input: last.input, usual, other: last, ids }
  }
  return null
}

/** Returns the probe of the same client with the usual input that was made within a minute of another. */
function usualBeside({ at, client }: Observation, probes: readonly Observation[]): Observation | undefined {
  return probes.findLast(
    (probe) => probe.client === client && Math.abs(probe.at - at) <= LIMITS.inputWithinMs,
  )
}
