import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { startLine } from '../../scripts/docs/startLine.ts'

/** The built command. */
export const BIN = fileURLToPath(new URL('../../packages/server/bin/touchstone-server.js', import.meta.url))

/** Runs the built `touchstone-server` until the test ends. Resolves once it listens. */
export async function startBuiltServer(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  bin = BIN,
) {
  const line = startLine(`exec '${process.execPath}' '${bin}' ${words.join(' ')}`, { env: settings })
  onTestFinished(async () => void (await line.interrupt('SIGKILL')))
  const [, url = ''] = await line.said(/listening at (http:\/\/[^\s",]+)/)
  let signalledAt = 0
  return {
    url,
    text: line.output,
    pid: line.child.pid ?? 0,
    signal(name: 'SIGTERM' | 'SIGINT' = 'SIGTERM') {
      if (signalledAt === 0) signalledAt = performance.now()
      line.child.kill(name)
    },
    /** Resolves to its exit code, and the time since the first signal in ms. */
    async end() {
      const { code } = await line.ended()
      return { code, ms: performance.now() - signalledAt }
    },
  }
}
