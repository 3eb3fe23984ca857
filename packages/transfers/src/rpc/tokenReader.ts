import type { Address, ReadOptions, TokenFacts } from '../types.ts'
import type { RpcPool } from './rpcPool.ts'
import { readTokenFacts } from './tokenFacts.ts'

/** Token facts, remembered. */
export type TokenReader = { read(address: Address, options?: ReadOptions): Promise<TokenFacts> }

const TOKEN_MS = 3_600_000
/** What is no token now may be deployed a minute later. */
const NO_TOKEN_MS = 60_000
const REMEMBERED = 10_000

/** Creates the reader. Failures are not remembered. */
export const createTokenReader = (pool: RpcPool, now: () => number): TokenReader => {
  const known = new Map<Address, { readonly facts: TokenFacts; readonly at: number }>()
  return {
    async read(given, options) {
      const address = given.toLowerCase() as Address
      const held = known.get(address)
      if (held !== undefined && now() - held.at < (held.facts.isErc20 ? TOKEN_MS : NO_TOKEN_MS))
        return held.facts
      const facts = await readTokenFacts(pool.call, address, options)
      if (known.size >= REMEMBERED) known.clear()
      known.set(address, { facts, at: now() })
      return facts
    },
  }
}
