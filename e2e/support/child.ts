import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A child process that sends messages, prints lines, or both. */
export type Child = {
  readonly process: ChildProcess
  /** Resolves to its exit code once it has ended and its output is read. */
  readonly gone: Promise<number | null>
  /** Resolves to its next message. @throws if it ends first */
  hear<T>(): Promise<T>
  /** Sends a message and resolves to the next one of the child. */
  ask<T>(message: object | string): Promise<T>
  /** Ends it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>
}

export type ChildOptions = {
  /** Passed as JSON in the first argument. @default none */
  readonly settings?: unknown
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Flags of Node. */
  readonly flags?: readonly string[]
  /** Core to keep it to. @default any */
  readonly core?: number
  /** Called with each line of its standard output. @default it is discarded */
  readonly onLine?: (line: string) => void
}

// Test workers have other arguments than a campaign.
const LOADER = process.execArgv.includes('tsx')
  ? process.execArgv
  : ['--conditions=source', '--import', 'tsx']

/** Starts a program, of TypeScript or bundled, in a child process. */
export function startChild(program: URL | string, options: ChildOptions = {}): Child {
  const { settings, env, flags = [], core, onLine } = options
  const file = typeof program === 'string' ? program : fileURLToPath(program)
  const node = [process.execPath, ...(file.endsWith('.ts') ? LOADER : []), ...flags, file]
  if (settings !== undefined) node.push(JSON.stringify(settings))
  const [command = '', ...args] = core === undefined ? node : ['taskset', '-c', `${core}`, ...node]
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', onLine === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
  })
  if (onLine !== undefined && child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', onLine)
  // 'close' comes after the last line.
  const gone = once(child, 'close').then(([code]) => code as number | null)
  const failed = gone.then((code) => Promise.reject(new Error(`${file} ended with ${code}`)))
  failed.catch(() => undefined)
  const messages = on(child, 'message')
  const hear = async <T>(): Promise<T> => (await Promise.race([messages.next(), failed])).value[0] as T
  return {
    process: child,
    gone,
    hear,
    ask(message) {
      child.send(message)
      return hear()
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
