import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { servingFlags } from '../../scripts/servingFlags.mjs'
import type { Ready, Request, Usage } from './service.ts'

/** The service in a child process. */
export type Service = {
  readonly origin: string
  /** Time from the start of the process to the first right answer. */
  readonly openSeconds: number
  ask(request?: Partial<Request>): Promise<Usage>
  /** Rows that its store read since the start. */
  rowsRead(): Promise<number>
  stop(): Promise<void>
}

const NOWHERE = 'http://127.0.0.1:1'

/**
 * Starts the service on a data folder.
 * @param isRight whether it answers, and rightly
 */
export async function openService(
  directory: string,
  isRight: (origin: string) => Promise<boolean>,
): Promise<Service> {
  const startedAt = performance.now()
  const child = fork(fileURLToPath(new URL('./service.ts', import.meta.url)), {
    execArgv: [...process.execArgv, ...servingFlags()],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PUBLIC_URL: 'https://trust.example',
      PORT: '0',
      METRICS_PORT: '0',
      // Where no receiver is read from chain.
      NETWORK: 'eip155:84532',
      RPC_URLS: NOWHERE,
      FACILITATOR_URL: NOWHERE,
      PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      DIRECTORIES: 'file=/dev/null',
      DATA_DIR: directory,
      RATE_LIMIT_PER_MINUTE: '100000000',
    },
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the service ended early')))
  ended.catch(() => undefined)
  const hear = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [T]
    return message
  }
  const { url: origin, metricsUrl } = await hear<Ready>()
  while (!(await isRight(origin))) await sleep(10)
  return {
    origin,
    openSeconds: (performance.now() - startedAt) / 1000,
    ask({ jumpMs = 0, isStart = false } = {}) {
      child.send({ jumpMs, isStart } satisfies Request)
      return hear<Usage>()
    },
    async rowsRead() {
      const text = await (await fetch(metricsUrl)).text()
      const [, rows] = /^touchstone_store_rows_read_total (\S+)$/m.exec(text) ?? []
      return Number(rows)
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
