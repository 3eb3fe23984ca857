import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from './shellLines.ts'

/** Runs a line in a shell with a minimal environment. */
export async function runLine(line: string, { cwd = ROOT } = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CI: '1' }
  const child = spawn('sh', ['-c', `exec ${line}`], { cwd, env })
  let output = ''
  const hear = (chunk: unknown) => {
    output += String(chunk)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
