import type { Mutation } from './mutations.ts'
import { runWorld } from './runWorld.ts'
import { type Invariant, Violation } from './violation.ts'

/** The world that found a mutation, and the invariant that broke in it; null if none did. */
export type FoundMutation = {
  readonly name: string
  readonly seed: number
  readonly invariant: Invariant
} | null

/**
 * Looks for a world in which a guard without one of its rules breaks an invariant.
 * @param most worlds to try after the one that is known to find it
 */
export async function findMutation(mutation: Mutation, most: number): Promise<FoundMutation> {
  const { name } = mutation
  const others = Array.from({ length: most }, (_, index) => index + 1)
  for (const seed of [mutation.seed, ...others]) {
    const { failure } = await runWorld({ seed, mutation, shrinks: false })
    if (failure === null) continue
    // Anything else is a fault of the world itself.
    if (!(failure.error instanceof Violation)) throw failure.error
    return { name, seed, invariant: failure.error.invariant }
  }
  return null
}
