import { askFor } from '@touchstone402/shared/testing'
import { inject } from 'vitest'
import { connectAnvil, type LocalChain } from './anvil.ts'

/**
 * Returns the local chain that the test files of a worker share. It has just been reset to block 0, and the calling file
 * may do with it what it wants.
 */
export async function useChain(): Promise<LocalChain> {
  const chain = connectAnvil(await askFor(inject('chains'), process.env.VITEST_POOL_ID))
  await chain.rpc('anvil_reset')
  return chain
}
