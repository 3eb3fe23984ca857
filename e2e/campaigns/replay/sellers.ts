import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Economy } from '@touchstone402/economy'

/** Two processes that sell the same operations on one database. */
export type Sellers = {
  readonly origins: readonly [string, string]
  /** Number of handler runs by requested endpoint. */
  readonly runs: ReadonlyMap<string, number>
  close(): Promise<void>
}

const SELLER = fileURLToPath(new URL('./seller.ts', import.meta.url))

/** Starts both processes. */
export async function openSellers(
  { chain, wallets, facilitator }: Economy,
  databaseUrl: string,
): Promise<Sellers> {
  const runs = new Map<string, number>()
  const children: ChildProcess[] = []
  const open = async (number: number): Promise<string> => {
    const settings = {
      databaseUrl,
      number,
      chain: { network: chain.network },
      wallets: { service: { address: wallets.service.address } },
      facilitator: { url: facilitator.url },
    }
    const child = spawn(process.execPath, [...process.execArgv, SELLER, JSON.stringify(settings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    children.push(child)
    return new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error('a seller ended')))
      child.on('message', (message: { origin?: string; ran?: string }) => {
        if (message.origin !== undefined) resolve(message.origin)
        if (message.ran !== undefined) runs.set(message.ran, (runs.get(message.ran) ?? 0) + 1)
      })
    })
  }
  const close = async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
  }
  try {
    return { origins: [await open(0), await open(1)], runs, close }
  } catch (error) {
    await close()
    throw error
  }
}
