import { nearestName } from '../nearestName.ts'
import type { Described } from './describeCommand.ts'
import type { Inputs, ValuesOf } from './inputs.ts'
import { type ParseArgs, readInputs } from './readInputs.ts'

/** A command of a table. */
export type Command<Context, Result> = Described & {
  /**
   * Reads the words after its name.
   * @throws CommandLineError if they do not fit
   */
  readonly read: (args: readonly string[]) => Readonly<Record<string, unknown>>
  /**
   * Reads the words after its name and runs it.
   * @throws CommandLineError if they do not fit
   */
  readonly run: (args: readonly string[], context: Context) => Promise<Result>
}

/** A command as it is declared: its function gets typed values. */
export type CommandDeclaration<Takes extends Inputs, Context, Result> = Omit<Described, 'takes'> & {
  readonly takes: Takes
  readonly run: (values: ValuesOf<Takes>, context: Context) => Promise<Result>
}

/** Creates a command from its declaration. @param parseArgs that of `node:util` */
export function defineCommand<Takes extends Inputs, Context, Result>(
  declaration: CommandDeclaration<Takes, Context, Result>,
  parseArgs: ParseArgs,
): Command<Context, Result> {
  const read = (args: readonly string[]) => readInputs(declaration, args, parseArgs)
  return {
    ...declaration,
    read,
    run: async (args, context) => declaration.run(read(args), context),
  }
}

const wordsOf = (name: string) => name.split(' ')

/** Finds the command with the longest name that the words begin with, and returns it with the words that follow. */
export function findCommand<One extends { readonly name: string }>(
  commands: readonly One[],
  args: readonly string[],
): { readonly command: One; readonly rest: readonly string[] } | undefined {
  const [command] = commands
    .filter(({ name }) => wordsOf(name).every((word, place) => word === args[place]))
    .toSorted((one, other) => other.name.length - one.name.length)
  return command && { command, rest: args.slice(wordsOf(command.name).length) }
}

/** Returns the commands of a group, such as those of `map`; none if there is no such group. */
export const listGroup = <One extends { readonly name: string }>(
  commands: readonly One[],
  group: string | undefined,
): readonly One[] => commands.filter(({ name }) => name !== group && wordsOf(name)[0] === group)

/** Describes why words name no command: they name a group alone, or something unknown. */
export function describeUnknown(
  commands: readonly { readonly name: string }[],
  [first = '', second]: readonly string[],
): string {
  const group = listGroup(commands, first).map(({ name }) => name)
  if (group.length > 0 && (second === undefined || second.startsWith('-')))
    return `${first} needs one more word: ${[...new Set(group.map((name) => wordsOf(name)[1]))].join(', ')}`
  const given = group.length > 0 ? `${first} ${second}` : first
  const known = group.length > 0 ? group : commands.map(({ name }) => wordsOf(name)[0] ?? '')
  return `Unknown command ${JSON.stringify(given.slice(0, 64))}; nearest: ${nearestName(given, known).name}`
}
