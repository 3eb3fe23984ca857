import type { Chain, TokenAnswers } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import { createDayQueue } from '../tokens/createDayQueue.ts'
import { createTokenDays } from '../tokens/tokenDays.ts'
import type { Scope } from './scope.ts'

type TokenReads = TokenAnswers & Pick<Chain, 'day'>

/** Returns the token operations of a chain, each read within a span. */
export function traceTokens({ trace }: Pick<Scope, 'trace'>, chain: TokenReads): TokenReads {
  const traced =
    <Q extends { readonly token: string }, R>(read: (query: Q) => Promise<R>) =>
    (query: Q) =>
      trace('token read', { token: query.token }, () => read(query))
  return {
    pulse: traced(chain.pulse),
    whales: traced(chain.whales),
    flow: traced(chain.flow),
    momentum: traced(chain.momentum),
    day: traced(chain.day),
  }
}

/** Opens the queue that reads the days of tokens. */
export function openDayQueue(
  scope: Scope,
  ctx: Context,
  chain: TokenReads,
): (signal: AbortSignal) => Promise<void> {
  const queue = createDayQueue(ctx, {
    days: createTokenDays(ctx),
    readDay: traceTokens(scope, chain).day,
    now: Date.now,
  })
  return queue.run
}
