import { spawn } from 'node:child_process'
import { createBodyCollector } from '../../lib/readBounded.ts'
import { DeadlineError, RealClientError } from '../errors.ts'
import type { Command } from './realClients.ts'

/** Output of a program that ended well. */
export type ProgramOutput = { readonly stdout: Buffer; readonly stderr: Buffer }

/** Limits of a run. */
export type RunLimits = {
  readonly signal: AbortSignal
  /** Maximum bytes of standard output. */
  readonly maxBytes: number
}

/** Fits the headers of an answer as JSON. */
const MAX_STDERR_BYTES = 256 * 1024
/** No home folder, no proxies, no certificates of the operator: a stranger's machine has none of them. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }

/**
 * Runs a program without a shell, and kills it at the signal or when it writes too much.
 * @throws RealClientError if it cannot be started, fails or writes too much; a DeadlineError of ours at the signal
 */
export function runProgram(
  program: string,
  { args, input }: Command,
  { signal, maxBytes }: RunLimits,
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new DeadlineError(true))
      return
    }
    const child = spawn(program, args, { cwd: '/', env: ENVIRONMENT, shell: false, stdio: 'pipe' })
    const [stdout, stderr] = [createBodyCollector(maxBytes), createBodyCollector(MAX_STDERR_BYTES)]
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      child.kill('SIGKILL')
      reject(error)
    }
    const onAbort = () => fail(new DeadlineError(true))
    signal.addEventListener('abort', onAbort, { once: true })
    for (const [stream, collected] of [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ] as const) {
      stream.on('error', () => {})
      stream.on('data', (chunk: Buffer) => {
        if (!collected.add(chunk)) fail(new RealClientError('wrote too much'))
      })
    }
    // A program that ends before it has read its input closes the pipe.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.once('error', (error) => fail(new RealClientError('cannot be started', error)))
    child.once('close', (code) => {
      signal.removeEventListener('abort', onAbort)
      if (code === 0) resolve({ stdout: stdout.read(), stderr: stderr.read() })
      else reject(new RealClientError(`ended with ${code ?? 'a signal'}`))
    })
  })
}
