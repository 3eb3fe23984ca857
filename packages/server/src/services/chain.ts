import type { Chain } from '@touchstone402/transfers'
import { openChain } from '../chain/openChain.ts'
import type { Context } from '../context.ts'
import type { Scope } from './scope.ts'
import { CHAIN_THREAD } from './threads.ts'

/**
 * Opens the chain that the process reads.
 * @param sells whether it answers token operations, so that the tokens of `WARM_TOKENS` are kept in memory
 */
export async function openProcessChain(
  { options, warn, onStop }: Scope,
  { config }: Pick<Context, 'config'>,
  { sells }: { readonly sells: boolean },
): Promise<Chain> {
  const chain = await openChain(
    {
      chainId: Number(config.network.slice('eip155:'.length)),
      urls: config.rpcUrls,
      folder: config.dataDir,
      warmTokens: sells ? config.warmTokens : [],
    },
    options.hasThreads ? { ...CHAIN_THREAD, onError: warn('chain thread') } : null,
    (token, error) => warn('token', token)(error),
  )
  onStop('chain', () => chain.close())
  return chain
}
