import { beforeAll, inject } from 'vitest'
import { connectAnvil, type LocalChain } from './anvil.ts'

/**
 * Returns a function that gives the local chain which the test files of a worker share, while tests run. It is
 * reset before each file, which may do with it what it wants.
 */
export function useChain(): () => LocalChain {
  let chain: LocalChain | undefined
  beforeAll(async () => {
    const response = await fetch(`${inject('chains')}/${process.env.VITEST_POOL_ID}`)
    const url = await response.text()
    if (!response.ok) throw new Error(`the chain does not start: ${url}`)
    const opened = connectAnvil(url)
    // From block 0 on, as a chain that has just started.
    await opened.rpc('anvil_reset')
    chain = opened
  })
  return () => {
    if (chain === undefined) throw new Error('the chain is only there during tests')
    return chain
  }
}
