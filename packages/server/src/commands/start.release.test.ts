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

/** Returns the processor time in seconds that a process of Node takes. */
async function timeOf(words: readonly string[]): Promise<number> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(PRINT_TIME)}`, ...words],
    { env: { DATA_DIR: scratch() } },
  )
  return Number(stderr)
}

test.each([
  [['--help'], 4],
  [['disputes', 'answer', '--help'], 4],
  [['disputes', 'list'], 12],
])('default: %j takes at most %i times the processor time of an empty program', async (words, limit) => {
  const [times, empty]: [number[], number[]] = [[], []]
  // In turn, so that a busy machine slows both.
  for (let tries = 0; tries < TRIES; tries++) {
    empty.push(await timeOf(['--eval', '0']))
    times.push(await timeOf([BIN, ...words]))
  }
  expect(Math.min(...empty)).toBeGreaterThan(0)
  expect(Math.min(...times) / Math.min(...empty)).toBeLessThanOrEqual(limit)
})
