import { runMain } from '@touchstone402/server/testing'

/** Exit code and texts of a command that has ended. */
export type Ended = { readonly code: number; readonly output: string; readonly errors: string }

/**
 * Runs a command of `touchstone-server` in this process, with the given settings as its whole environment. It must end by
 * itself, and cannot be killed; `builtServer.ts` starts the process.
 */
export async function runServerCommand(
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const texts = { output: '', errors: '' }
  const { code } = await runMain(words, settings, {
    out: (text) => {
      texts.output += text
    },
    err: (text) => {
      texts.errors += text
    },
  })
  return { code, ...texts }
}
