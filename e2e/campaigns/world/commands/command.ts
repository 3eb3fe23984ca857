import type fc from 'fast-check'
import type { World } from '../world.ts'

/** What a command of fast-check knows before it runs: nothing, since the world itself is asked. */
export type Model = Record<string, never>
export type Command = fc.AsyncCommand<Model, World>

/** Number of events that may happen while an agent thinks, by which calls overlap. */
const MOST_BETWEEN = 12

/** Creates a command: it does something, a few events happen, and every invariant is checked. */
export function createCommand(
  name: string,
  data: object,
  run: (world: World) => Promise<void> | void,
  between: number = MOST_BETWEEN,
): Command {
  const text = `${name} ${JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`
  return {
    check: () => true,
    async run(_, world) {
      world.trace.add(`> ${text}`)
      await run(world)
      await world.order.run(between)
      world.check()
    },
    toString: () => text,
  }
}
