import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KilledCall } from './killedCall.ts'

const PROGRAM = fileURLToPath(new URL('./killedCall.ts', import.meta.url))
// Test workers have other arguments than a campaign.
const isLoaded = process.execArgv.includes('tsx')
const NODE_ARGS = isLoaded ? process.execArgv : ['--conditions=source', '--import', 'tsx']

/** Processes that each make one call with a file ledger. */
export type Callers = {
  /** Makes a call in a new process. Resolves to whether it was delivered, or to false once the process is killed. */
  call(call: KilledCall): { delivered: Promise<boolean>; kill(): void }
  stop(): void
}

/** Starts processes ahead, since each takes seconds to load. */
export function startCallers(): Callers {
  let spare = start()
  return {
    call(call) {
      const { child, ready } = spare
      spare = start()
      const ended = once(child, 'exit').then(() => false)
      const delivered = ready.then(() => {
        const answered = once(child, 'message').then(([isDelivered]) => isDelivered === true)
        child.send(call)
        return Promise.race([answered, ended])
      })
      return { delivered, kill: () => void child.kill('SIGKILL') }
    },
    stop: () => void spare.child.kill(),
  }
}

function start(): { child: ChildProcess; ready: Promise<unknown> } {
  const child = spawn(process.execPath, [...NODE_ARGS, PROGRAM], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return { child, ready: once(child, 'message') }
}
