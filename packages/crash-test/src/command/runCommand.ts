import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** How a run of the command ended. */
export type Ended = {
  how: 'exited' | 'timeout' | 'stopped' | 'not_started'
  /** Exit code; null if a signal ended it, or it did not exit. */
  code: number | null
  /** The end of its output, at most 2,000 characters, without signatures and control characters. */
  output: string
}

const MAX_OUTPUT = 2_000
// A run that prints without end is read, but little of it is kept.
const MAX_KEPT = 16_384
/** Time for which its last output is read, in ms, while a process that left the group holds the pipes open. */
const DRAIN_MS = 250

/**
 * Runs a command in a separate process group, and ends the group when the command exits, when the time is over or
 * when the signal aborts. Its input is empty.
 */
export function runCommand(
  [file = '', ...args]: readonly string[],
  { env, timeoutMs, signal }: { env: Record<string, string>; timeoutMs: number; signal: AbortSignal },
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const read = (stream: Readable) => {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        output = (output + text).slice(-MAX_KEPT)
      })
      stream.on('error', () => {})
    }
    read(child.stdout)
    read(child.stderr)
    const endGroup = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      killGroup(child.pid)
    }
    const end = (how: Ended['how'], code: number | null = null) => {
      endGroup()
      child.stdout.destroy()
      child.stderr.destroy()
      child.unref()
      resolve({ how, code, output: redact(output).slice(-MAX_OUTPUT) })
    }
    const stop = () => end('stopped')
    const timer = setTimeout(() => end('timeout'), timeoutMs)
    signal.addEventListener('abort', stop)
    child.once('error', (error) => {
      output += error.message
      end('not_started')
    })
    child.once('exit', (code) => {
      endGroup()
      // What it wrote last may still be in the pipes.
      const drain = setTimeout(() => end('exited', code), DRAIN_MS)
      child.once('close', () => {
        clearTimeout(drain)
        end('exited', code)
      })
    })
    if (signal.aborted) stop()
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}

/** Removes what may be a key or a signature, in hex or base64, and control characters. */
export function redact(text: string): string {
  return text
    .replaceAll(/[A-Za-z0-9+/_=-]{64,}/g, '[removed]')
    .replaceAll(/\p{Cc}/gu, (character) => (character === '\n' ? '\n' : ' '))
}
