import { NETWORKS } from '@touchstone402/shared'
import { createDayAnswers } from '@touchstone402/transfers'
import { getAddress } from 'viem'
import type { Store } from '../ports/store.ts'
import { createDayQueue } from '../tokens/createDayQueue.ts'
import { createTokenDays } from '../tokens/tokenDays.ts'
import type { Audit } from './audit.ts'
import type { Scope } from './scope.ts'

/** Returns what token answers are made with. */
export const tokenAnswersDeps = ({ config }: Pick<Scope, 'config'>, { source }: Pick<Audit, 'source'>) => ({
  source,
  // The chain keeps real time, not the audit's clock.
  now: Date.now,
  checksum: (address: string) => getAddress(address),
  wellKnown: NETWORKS.filter(({ caip2 }) => caip2 === config.network).map(({ usdc }) => ({
    symbol: 'USDC',
    names: ['USD Coin'],
    address: getAddress(usdc),
  })),
})

/** Opens the stored days of tokens. */
export const openTokenDays = ({ config, clock }: Scope, { expiring: documents }: Pick<Store, 'expiring'>) =>
  createTokenDays({ documents, clock, pages: config.tokenPages })

/** Opens the queue that reads them. */
export function openDayQueue(
  scope: Scope,
  store: Store,
  audit: Audit,
): (signal: AbortSignal) => Promise<void> {
  const queue = createDayQueue({
    days: openTokenDays(scope, store),
    readDay: createDayAnswers(tokenAnswersDeps(scope, audit)),
    now: Date.now,
    onError: (token, error) => scope.warn('token day', token)(error),
  })
  return queue.run
}
