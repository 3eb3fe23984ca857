import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { servingFlags } from '../../../scripts/servingFlags.mjs'
import type { Usage } from '../cluster/member.ts'

const MEMBER = fileURLToPath(new URL('../cluster/member.ts', import.meta.url))
const READY_WITHIN_MS = 120_000

/** A process of the service. */
export type Member = {
  /** Empty for a worker. */
  readonly origin: string
  /** Time from the start of the process until it was ready. */
  readonly readySeconds: number
  usage(): Promise<Usage>
  stop(): Promise<void>
}

/** Starts a process of the service and waits until it is ready. */
export async function openMember(
  role: 'api' | 'worker',
  settings: Readonly<Record<string, string>>,
): Promise<Member> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...process.execArgv, ...servingFlags(), MEMBER, role], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  try {
    const origin = await readOrigin(child.stdout)
    for (
      const end = Date.now() + READY_WITHIN_MS;
      origin !== '' && !(await isReady(origin));
      await sleep(20)
    ) {
      if (Date.now() > end) throw new Error('the process is not ready within two minutes')
    }
    return {
      origin,
      readySeconds: (performance.now() - startedAt) / 1000,
      async usage() {
        child.send({})
        const [usage] = (await once(child, 'message')) as [Usage]
        return usage
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function readOrigin(output: NodeJS.ReadableStream | null): Promise<string> {
  if (output === null) throw new Error('the process has no output')
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('ready')) return line.slice('ready '.length)
  }
  throw new Error('the process ended before it was ready')
}

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )
