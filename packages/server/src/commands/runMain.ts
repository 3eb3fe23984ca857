import type { Environment } from '../config/storageSettings.ts'
import { messageOf } from '../errors.ts'
import { type Output, STANDARD_STREAMS } from '../lib/output.ts'
import { runCommand } from './commands.ts'

/** End of a command: its exit code, and whether it failed before it could clean up. */
export type CommandEnd = { readonly code: number; readonly hasThrown: boolean }

/** Runs the command that the words name, and prints its result or its error. Never rejects. */
export async function runMain(
  words: readonly string[],
  env: Environment,
  output: Output = STANDARD_STREAMS,
): Promise<CommandEnd> {
  try {
    const result = await runCommand(words, env, output)
    if (typeof result === 'string') output.out(`${result}\n`)
    return { code: typeof result === 'number' ? result : 0, hasThrown: false }
  } catch (error) {
    for (const line of messageOf(error).split('\n')) output.err(`touchstone-server: ${line}\n`)
    return { code: 1, hasThrown: true }
  }
}
