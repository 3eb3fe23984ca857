import type { Economy } from '@touchstone402/economy'
import { createTestClient, http } from 'viem'
import { beforeAll } from 'vitest'
import { startEconomy } from './economy.ts'

type Chain = Economy['chain']

let economy: Promise<Economy> | undefined

/**
 * Returns a function that gives the chain which test files of a worker share, while tests run. No service reads it, so a
 * file may move its time and deploy what it wants: all is reverted as the file ends. It ends with the worker.
 */
export function useChain(): () => Chain {
  let chain: Chain | undefined
  beforeAll(async () => {
    economy ??= startEconomy({ sellers: [], clock: 'real' })
    const opened = (await economy).chain
    const node = createTestClient({ mode: 'anvil', transport: http(opened.rpcUrl) })
    const id = await node.snapshot()
    chain = opened
    return async () => {
      await node.revert({ id })
      await node.request<{ Method: 'evm_setTime'; Parameters: [number]; ReturnType: number }>({
        method: 'evm_setTime',
        params: [Date.now()],
      })
    }
  })
  return () => {
    if (chain === undefined) throw new Error('the chain is only there during tests')
    return chain
  }
}
