import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from './shellLines.ts'

/** A running shell line. */
export type RunningLine = {
  /** Returns the output so far. */
  readonly output: () => string
  readonly child: ChildProcess
  /** Waits until the output matches. Rejects if the line ends first. */
  said(what: RegExp): Promise<RegExpExecArray>
  /** Waits until it ends. */
  ended(): Promise<{ code: number | null; output: string }>
  /** Ends its process group and waits until it is gone. @default Ctrl-C */
  interrupt(signal?: NodeJS.Signals): Promise<{ code: number | null; output: string }>
}

/** Environment of a process that resolves the names of the economy. */
export const WITH_LOCAL_NAMES = {
  NODE_OPTIONS:
    `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('../agent/localNames.mjs', import.meta.url).href}`.trim(),
}

/** Starts a line in a shell with a minimal environment and the given settings. */
export function startLine(
  line: string,
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): RunningLine {
  // Passed on so that its responses are recorded as well, and no real budget counts its payments.
  const { PATH, HOME, NODE_OPTIONS, TOUCHSTONE_ANSWERS, XDG_STATE_HOME } = process.env
  const child = spawn('sh', ['-c', line], {
    cwd,
    env: { PATH, HOME, NODE_OPTIONS, TOUCHSTONE_ANSWERS, XDG_STATE_HOME, ...env },
    detached: true,
  })
  let output = ''
  const waiting = new Set<() => void>()
  const hear = (chunk: unknown) => {
    output += String(chunk)
    for (const search of waiting) search()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const closed = once(child, 'close').then(([code]) => ({ code: code as number | null, output }))
  return {
    child,
    output: () => output,
    said: (what) =>
      new Promise((resolve, reject) => {
        const search = () => {
          const found = what.exec(output)
          if (found === null) return
          waiting.delete(search)
          resolve(found)
        }
        waiting.add(search)
        search()
        closed.then(() =>
          reject(new Error(`the line ended without printing ${what}:\n${output.slice(-2000)}`)),
        )
      }),
    ended: () => closed,
    interrupt(signal = 'SIGINT') {
      const isGone = child.exitCode !== null || child.signalCode !== null
      if (child.pid !== undefined && !isGone) process.kill(-child.pid, signal)
      return closed
    },
  }
}

/** Runs a line to its end. */
export const runLine = (...given: Parameters<typeof startLine>) => startLine(...given).ended()
