import { randomBytes } from 'node:crypto'
import { createPublicFetch } from '../adapters/probe/createPublicFetch.ts'
import { createDeliveries, type Deliveries } from '../notices/createDeliveries.ts'
import { createSender } from '../notices/createSender.ts'
import type { Scope } from './scope.ts'
import type { WorkDeps } from './workDeps.ts'

const CHALLENGE_BYTES = 24

/**
 * Prepares the delivery of events to webhooks, and registers its metrics.
 * @returns a function that starts it until the signal fires; what that returns waits for its end
 */
export function prepareWebhooks(
  scope: Scope,
  { storage }: Pick<WorkDeps, 'storage'>,
): (signal: AbortSignal) => () => Promise<void> {
  const { config, clock, lookup, log, metrics, warn } = scope
  const { store } = storage
  let current: Deliveries | undefined
  metrics.gauge(
    'webhook_oldest_pending_age_seconds',
    'Age of the oldest event that a webhook waits for; 0 without any, or in a process that does not lead.',
    () => (current?.oldestPendingMs() ?? 0) / 1000,
  )
  return (signal) => {
    const reach = createPublicFetch({
      allowPrivate: config.developmentAllowHosts,
      ...(lookup && { lookup }),
    })
    const deliveries = createDeliveries({
      documents: store.expiring,
      store,
      clock,
      send: createSender({
        fetch: reach.fetch,
        userAgent: `Touchstone/0.1 (+${config.contact})`,
        now: Date.now,
      }),
      newChallenge: () => randomBytes(CHALLENGE_BYTES).toString('base64url'),
      onOutcome: (outcome) => metrics.webhookAttempt({ outcome }),
      onLine: (line) => log('info', line),
      onError: warn('webhooks'),
    })
    current = deliveries
    const running = deliveries.run(signal).catch(warn('webhooks ended'))
    return async () => {
      await running
      current = undefined
      await reach.close()
    }
  }
}
