import { run } from '../../packages/guard/src/node/cli/run.ts'

/** Runs a command of `touchstone` in this process, with the given variables as its whole environment. */
export async function runGuardCommand(words: readonly string[], env: Readonly<Record<string, string>>) {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const code = await run([...words], { out: say, err: say, env, fetch: globalThis.fetch })
  return { code, text: lines.join('\n') }
}
