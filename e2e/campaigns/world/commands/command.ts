import type fc from 'fast-check'
import type { CommandKind } from '../setUp.ts'
import type { World } from '../world.ts'

/** Model of fast-check: the kinds of commands that run in this world. */
export type Model = { readonly kinds: ReadonlySet<CommandKind> }
export type Command = fc.AsyncCommand<Model, World>

/** Number of events that may happen while an agent thinks, by which calls overlap. */
const MOST_BETWEEN = 12

type CommandOptions = {
  /** @default 'always' */
  kind?: CommandKind
  /** Number of events before the next command. */
  between?: number
}

/** Creates a command: it does something, a few events happen, and every invariant is checked. */
export function createCommand(
  name: string,
  data: object,
  run: (world: World) => Promise<void> | void,
  { kind = 'always', between = MOST_BETWEEN }: CommandOptions = {},
): Command {
  const text = `${name} ${JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`
  return {
    check: ({ kinds }) => kinds.has(kind),
    async run(_, world) {
      world.trace.add(`> ${text}`)
      await run(world)
      await world.order.run(between)
      world.check()
    },
    toString: () => text,
  }
}
