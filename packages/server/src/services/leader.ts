import { once } from 'node:events'
import type { Chain } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import { describeRejudged, rejudgeEarlier } from '../crawl/rejudgeEarlier.ts'
import { writeReports } from '../crawl/report.ts'
import { createDeliveries, type Deliveries } from '../owners/createDeliveries.ts'
import { type ClaimReader, watchClaims } from '../owners/hostClaims.ts'
import { createPublicFetch } from '../probe/createPublicFetch.ts'
import type { ShopperAccounts } from '../shop/accounts.ts'
import { watchPurchases } from '../shop/withheldPurchases.ts'
import type { Audit } from './audit.ts'
import { openLog, openMap } from './log.ts'
import { openMcpAudits } from './mcp.ts'
import type { Scope } from './scope.ts'
import { openShopping } from './shopping.ts'
import { openDayQueue } from './tokens.ts'

/** Parts that background work uses. */
export type LeaderParts = {
  readonly ctx: Context
  readonly chain: Chain
  readonly audit: Audit
  readonly claimReader: ClaimReader
  /** Accounts that make test purchases; null to make none. */
  readonly shopper: ShopperAccounts | null
}

/** Background work that ends when the signal fires. */
type Job = (signal: AbortSignal) => Promise<void>

/** Time limit of one attempt to deliver to a webhook, in ms. */
const WEBHOOK_TIMEOUT_MS = 10_000

/** Prepares the work that only one process does at a time: reports, log, webhooks, host claims, map, purchases, token days, MCP audits. */
export function prepareLeading(scope: Scope, parts: LeaderParts) {
  const { warn } = scope
  const { ctx, chain, audit, claimReader } = parts
  const { config, clock, log } = ctx
  const deliver = openDeliveries(scope, ctx)

  const startJobs = async (start: (name: string, job: Job) => void, ownUrl: string) => {
    start('reports', (signal) => writeReports(ctx, signal))
    start('earlier verdicts', async (signal) => {
      const { auditor } = audit
      const found = await rejudgeEarlier(ctx, auditor, signal)
      const line = describeRejudged(found)
      if (line !== null) log('info', line, { event: 'judged_again', ...found })
    })
    const openedLog = await openLog(scope, ctx).catch((error: unknown) => {
      warn('log')(error)
      return undefined
    })
    if (openedLog !== undefined) start('log', openedLog.run)
    start('webhooks', deliver)
    start('claims', (signal) => watchClaims(ctx, claimReader, signal))
    if (config.hasMap) start('map', await openMap(scope, ctx, openedLog))
    const accounts = parts.shopper
    start('purchase log', (signal) => watchPurchases(ctx, accounts, signal))
    if (config.shopper !== null && accounts !== null) {
      start(
        'test purchases',
        await openShopping(scope, { ctx, audit, chain, accounts }, config.shopper, ownUrl),
      )
    }
    start('token days', openDayQueue(scope, ctx, chain))
    if (config.mcp !== null) start('MCP audits', await openMcpAudits(scope, ctx, audit, config.mcp))
  }

  /** Leads until the signal fires. If one job cannot start, the others end too. */
  return async (signal: AbortSignal, ownUrl: string): Promise<void> => {
    log('info', 'this process leads the crawl', { event: 'leading' })
    const over = new AbortController()
    const ending = AbortSignal.any([signal, over.signal])
    const running: Promise<void>[] = []
    const start = (name: string, job: Job) => void running.push(job(ending).catch(warn('job', name)))
    const release = clock.hold()
    try {
      await startJobs(start, ownUrl).finally(release)
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      over.abort()
      await Promise.all(running)
    }
  }
}

/** Opens the delivery of events to webhooks, and registers its metrics. */
function openDeliveries({ reach }: Scope, ctx: Context): Job {
  let current: Deliveries | undefined
  ctx.metrics.gauge(
    'webhook_oldest_pending_age_seconds',
    'Age of the oldest event that a webhook waits for; 0 without any, or in a process that does not lead.',
    () => (current?.oldestPendingMs() ?? 0) / 1000,
  )
  return async (signal) => {
    const { fetch, close } = createPublicFetch(reach)
    current = createDeliveries(ctx, {
      fetch,
      userAgent: `Touchstone/0.1 (+${ctx.config.operator.contact})`,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
    })
    try {
      await current.run(signal)
    } finally {
      current = undefined
      await close()
    }
  }
}
