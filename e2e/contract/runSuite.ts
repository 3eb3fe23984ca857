import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What the end-to-end suite ends its output with, before the sum as JSON. */
export const SUM_LINE = 'answers checked against /openapi.json: '

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the end-to-end suite, which checks every answer that it gets, and tells how many there were. */
export async function runSuite(): Promise<{ answers: number; violations: number; hasPassed: boolean }> {
  const child = spawn('npx', ['vitest', 'run', '--project', 'e2e'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
    process.stderr.write(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const sum = output.split('\n').find((line) => line.startsWith(SUM_LINE))
  if (sum === undefined) throw new Error('the end-to-end suite did not say how many answers it checked')
  const { answers, violations } = JSON.parse(sum.slice(SUM_LINE.length))
  return { answers, violations, hasPassed: code === 0 }
}
