import type { Chain } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import type { Crawl } from './crawl.ts'
import { checkChain } from './health/checkChain.ts'
import { checkClock } from './health/checkClock.ts'
import { checkCrawl, checkDirectories } from './health/checkCrawl.ts'
import { checkLog } from './health/checkLog.ts'
import { checkMap } from './health/checkMap.ts'
import { checkStore } from './health/checkStore.ts'
import { createHealth, type Health } from './health/createHealth.ts'
import type { Sales } from './sales.ts'
import type { Scope } from './scope.ts'

/** The check of the chain, which the one of the clock reads. */
export type ChainCheck = ReturnType<typeof checkChain>

type HealthParts = {
  readonly ctx: Context
  readonly crawl: Crawl
  readonly chain: ChainCheck
  /** Null in a process that answers nothing. */
  readonly sales: Pick<Sales, 'checks'> | null
}

/**
 * Asks every RPC for its chain. One that does not answer is left to the checks that follow.
 * @throws Error if one is on another chain
 */
export async function openChainCheck(chain: Chain): Promise<ChainCheck> {
  const check = checkChain({ chain, now: Date.now })
  await check.run()
  check.refuseWrongChain()
  return check
}

/** Opens the checks of all parts, and repeats them until the process stops. */
export async function openHealth(scope: Scope, parts: HealthParts): Promise<Health> {
  const { ctx, crawl, chain, sales } = parts
  const { config, clock, log, stopping, store } = ctx
  const now = () => clock.now()
  const { progress } = crawl
  const health = createHealth({
    checks: [
      checkStore({ store, now, dataDir: config.dataDir, isInFolder: config.databaseUrl === null }),
      chain,
      ...(sales?.checks ?? []),
      checkDirectories({
        progress,
        configured: config.directories.length,
        isAlone: config.databaseUrl === null && scope.options.crawls !== false,
      }),
      checkCrawl({ store, progress, now }),
      checkLog({ store, settings: config.log, now: Date.now }),
      ...(config.hasMap ? [checkMap(store, now)] : []),
      checkClock({ store, probeFirst: crawl.request, now, heads: chain.heads }),
    ],
    log,
    isStopping: () => stopping.aborted,
  })
  // Before it listens, so that its first answer is right.
  await health.run('store')
  stopping.addEventListener('abort', health.start(), { once: true })
  return health
}
