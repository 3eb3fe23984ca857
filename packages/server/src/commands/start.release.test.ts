import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { useScratchFolder } from '../store/testing/scratch.ts'

const BIN = fileURLToPath(new URL('../../bin/touchstone-server.js', import.meta.url))
// Of the whole process, its threads included.
const PRINT_TIME = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write(String((user + system) / 1e6))
})`
const TRIES = 3
const scratch = useScratchFolder()

/** Returns the processor time in seconds that the built command takes, at its best of three. */
async function timeOf(words: readonly string[]): Promise<number> {
  const times: number[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(PRINT_TIME)}`, BIN, ...words],
      { env: { DATA_DIR: scratch() } },
    )
    times.push(Number(stderr))
  }
  return Math.min(...times)
}

test.each([
  [['--help'], 0.25],
  [['disputes', 'answer', '--help'], 0.25],
  [['disputes', 'list'], 0.75],
])('default: %j takes at most the processor time of what it needs', async (words, limit) => {
  const seconds = await timeOf(words)
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(limit)
})
