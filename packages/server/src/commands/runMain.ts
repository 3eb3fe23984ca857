import { createRequire } from 'node:module'
import {
  describeCommands,
  describeHelp,
  describeUnknown,
  findCommand,
  listGroup,
} from '@touchstone402/shared/command-line'
import type { Environment } from '../config/storageSettings.ts'
import { messageOf } from '../lib/errors.ts'
import type { Output } from '../lib/output.ts'
import { COMMANDS, type CommandResult } from './commands.ts'

const PROGRAM = 'touchstone-server'

/** End of a command: its exit code, and whether it failed before it could clean up. */
export type CommandEnd = { readonly code: number; readonly hasThrown: boolean }

/** Runs the command that the words name, and prints its result or its error. Never rejects. */
export async function runMain(
  words: readonly string[],
  env: Environment,
  output: Output,
): Promise<CommandEnd> {
  try {
    const result = await runCommand(words, env, output)
    if (typeof result === 'string') output.out(`${result}\n`)
    return { code: typeof result === 'number' ? result : 0, hasThrown: false }
  } catch (error) {
    for (const line of messageOf(error).split('\n')) output.err(`${PROGRAM}: ${line}\n`)
    return { code: 1, hasThrown: true }
  }
}

/**
 * Runs the command that the words name; without a name, `serve`.
 * @throws Error that names the wrong word, option or setting
 */
export async function runCommand(
  words: readonly string[],
  env: Environment,
  output: Output,
): Promise<CommandResult> {
  const isHelp = words[0] === 'help' || words.includes('--help') || words.includes('-h')
  if (words.includes('--version') && !isHelp)
    return String(createRequire(import.meta.url)(`@touchstone402/server/package.json`).version)
  const found = findServerCommand(words)
  if (isHelp) return isNamed(words) && found ? describeHelp(PROGRAM, found.command) : describeAll(words[0])
  if (found === undefined) throw new Error(describeUnknown(COMMANDS, words))
  const named = isNamed(words) ? undefined : words.find((word) => COMMANDS.some(({ name }) => name === word))
  if (named !== undefined) throw new Error(`put the command before its options: ${PROGRAM} ${named} …`)
  return found.command.run(found.rest, { env, output })
}

/** Finds the command that the words name, `serve` if they name none. Returns it with the words that follow its name. */
export const findServerCommand = (words: readonly string[]) =>
  findCommand(COMMANDS, isNamed(words) ? words : ['serve', ...words])

const isNamed = ([first]: readonly string[]) => first !== undefined && !first.startsWith('-')

/** Lists the commands of a group such as `log`, or all of them. */
function describeAll(group: string | undefined): string {
  const own = listGroup(COMMANDS, group)
  return [
    `${PROGRAM} COMMAND; settings come from the environment (docs/operations.md)`,
    describeCommands(PROGRAM, own.length > 0 ? own : COMMANDS),
    `  ${PROGRAM} --version`,
    '',
    'Run a command with --help for its words and options.',
  ].join('\n')
}
