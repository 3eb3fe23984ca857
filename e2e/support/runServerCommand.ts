import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Exit code and texts of a command that has ended. */
export type Ended = { readonly code: number | null; readonly output: string; readonly errors: string }

/** Runs `touchstone-server` with some words and settings, and nothing else of this environment. */
export async function runServerCommand(
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn('node_modules/.bin/touchstone-server', words, {
    cwd: new URL('..', import.meta.url),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { output: '', errors: '' }
  child.stdout.on('data', (chunk) => {
    texts.output += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    texts.errors += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}
