import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'

/** The built command. */
export const BIN = fileURLToPath(new URL('../../packages/server/bin/touchstone-server.js', import.meta.url))

/** Runs a built `touchstone-server` until the test ends. Resolves once it listens. */
export async function startServer(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  bin = BIN,
) {
  const child = spawn(process.execPath, [bin, ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => (text += String(chunk)))
  child.stderr.on('data', (chunk) => (text += String(chunk)))
  const gone = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const url = () => /listening at (http:\/\/[^\s",]+)/.exec(text)?.[1] ?? ''
  await expect
    .poll(() => (child.exitCode === null ? url() : `ended: ${text}`), { timeout: 30_000 })
    .not.toBe('')
  if (child.exitCode !== null) throw new Error(text)
  let signalledAt = 0
  return {
    url: url(),
    text: () => text,
    pid: child.pid ?? 0,
    signal(name: 'SIGTERM' | 'SIGINT' = 'SIGTERM') {
      if (signalledAt === 0) signalledAt = performance.now()
      child.kill(name)
    },
    /** Resolves to its exit code, and the time since the first signal in ms. */
    async end() {
      const code = await gone
      return { code, ms: performance.now() - signalledAt }
    },
  }
}
