import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { servingFlags } from '../../../scripts/servingFlags.mjs'

const HELLO = fileURLToPath(new URL('./hello.ts', import.meta.url))

/** Node flag for a process that has one core (`docs/operations.md`). The same for all compared servers. */
const ONE_CORE = '--single-threaded-gc'

/** Resource usage of a process since its start. */
export type Usage = {
  readonly cpuMs: number
  readonly rssMb: number
  readonly looks: number
  readonly discoveries: number
}

/** A server in a child process. */
export type ServerProcess = {
  readonly origin: string
  /** @param jumpMs how far to advance its clock. @default 0 */
  measure(jumpMs?: number): Promise<Usage>
  /** Stops the process until {@link resume}, so that it takes no CPU from another server on its core. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Runs `work` while another server is paused. */
export async function whilePaused<T>(other: ServerProcess, work: () => Promise<T>): Promise<T> {
  other.pause()
  try {
    return await work()
  } finally {
    other.resume()
  }
}

/** Waits until the usage of a server satisfies a condition. @throws after two minutes */
export async function waitFor(server: ServerProcess, isDone: (usage: Usage) => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !isDone(await server.measure()); await sleep(100)) {
    if (Date.now() > end) throw new Error('the server made no progress within two minutes')
  }
}

/** Pins this process to the second core, as servers use the first. Returns false if `taskset` is missing. */
export async function keepToSecondCore(): Promise<boolean> {
  return promisify(execFile)('taskset', ['-a', '-cp', '1', String(process.pid)]).then(
    () => true,
    () => false,
  )
}

/** Starts a hello-world server. */
export const startHello = (kind: 'raw' | 'express', isPinned: boolean): Promise<ServerProcess> =>
  startServer(HELLO, { HELLO: kind }, isPinned)

/** Starts a server script that reports its URL over IPC, optionally pinned to the first core. */
export async function startServer(
  script: string,
  environment: Readonly<Record<string, string>>,
  isPinned: boolean,
): Promise<ServerProcess> {
  const node = [process.execPath, ...process.execArgv, ...servingFlags(), ONE_CORE, script]
  const [command = '', ...args] = isPinned ? ['taskset', '-c', '0', ...node] : node
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error(`${script} ended before it was ready`)),
  )
  ended.catch(() => undefined)
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }]
  return {
    origin: url,
    async measure(jumpMs = 0) {
      child.send({ jumpMs })
      const [usage] = (await once(child, 'message')) as [Usage]
      return usage
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      if (child.exitCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
