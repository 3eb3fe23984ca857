import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Prefix of the line in which each end-to-end project prints its counts as JSON. */
export const SUM_LINE = 'answers checked against /openapi.json: '

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the end-to-end suite, which checks every answer it receives, and returns its counts. */
export async function runSuite(): Promise<{ answers: number; violations: number; hasPassed: boolean }> {
  const child = spawn('npx', ['vitest', 'run', '--project', 'e2e*'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
    process.stderr.write(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const lines = output.split('\n').filter((line) => line.startsWith(SUM_LINE))
  if (lines.length === 0) throw new Error('The end-to-end suite printed no count of checked answers')
  const sums = lines.map((line) => JSON.parse(line.slice(SUM_LINE.length)))
  const total = (key: 'answers' | 'violations') => sums.reduce((sum, counts) => sum + counts[key], 0)
  return { answers: total('answers'), violations: total('violations'), hasPassed: code === 0 }
}
