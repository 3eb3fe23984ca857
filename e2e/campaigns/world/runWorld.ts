import { TWISTS, type TwistName } from '@touchstone402/shared/market'
import fc from 'fast-check'
import { allCommands } from './commands/index.ts'
import { checkAlive } from './invariants/alive.ts'
import type { Mutation } from './mutations.ts'
import { DEALINGS } from './outside/sellers.ts'
import { arbitrarySetUp, kindsOf } from './setUp.ts'
import { createWorld } from './world.ts'

/** Result of one world. */
export type WorldResult = {
  /** Hash of the trace of the last run, which is the smallest failing one if an invariant broke. */
  readonly hash: string
  readonly steps: number
  readonly trace: readonly string[]
  /** The violation and the shrunk commands; null if every invariant held. */
  readonly failure: { readonly error: unknown; readonly commands: string } | null
}

export type WorldOptions = {
  readonly seed: number
  readonly mutation?: Mutation | null
  /** Whether a failure is made as small as possible. @default true */
  readonly shrinks?: boolean
}

/** Worlds have half as many on average, less those that their faults leave out. */
const MOST_STEPS = 150

/** Runs the world of a seed. */
export async function runWorld({
  seed,
  mutation = null,
  shrinks = true,
}: WorldOptions): Promise<WorldResult> {
  let last = { hash: '', steps: 0, trace: [] as readonly string[] }
  let hasFailed = false
  const commands = fc.commands(allCommands, { maxCommands: MOST_STEPS, size: '+2' })
  const setUp = arbitrarySetUp(DEALINGS, Object.keys(TWISTS) as TwistName[])
  const property = fc.asyncProperty(setUp, fc.scheduler(), commands, async (drawn, scheduler, steps) => {
    const world = await createWorld(drawn, scheduler, mutation)
    const keep = () => {
      const { lines } = world.trace
      last = {
        hash: world.trace.hash(),
        steps: lines.filter((line) => line.includes(' > ')).length,
        trace: lines,
      }
    }
    try {
      await fc.asyncModelRun(() => ({ model: { kinds: kindsOf(drawn) }, real: world }), steps)
      await checkAlive(world)
      // While a failure is made smaller, the runs that hold are of no interest.
      if (!hasFailed) keep()
    } catch (error) {
      hasFailed = true
      keep()
      throw error
    } finally {
      await world.end()
    }
  })
  const result = await fc.check(property, { seed, numRuns: 1, endOnFailure: !shrinks })
  const failure = result.failed
    ? { error: result.errorInstance, commands: String(result.counterexample?.[2]) }
    : null
  return { ...last, failure }
}
