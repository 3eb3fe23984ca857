import { toTimestamp } from '../../facts/times.ts'
import { systemClock } from '../../lib/clock.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { Store } from '../../store/store.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aChange, anIncident, NOON } from '../../store/testing/records.ts'
import { createDeliveries } from '../createDeliveries.ts'
import { createWebhookAdder, removeWebhook } from '../manageWebhooks.ts'
import { listWebhooks } from '../webhook.ts'
import type { openReceiver } from './openReceiver.ts'

type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** Host of the sample records. */
export const HOST = 'api.example'

/** Runs webhooks and their deliveries over a store, by a clock that the test moves. */
export function openNotices({ fetch, know }: Pick<Receiver, 'fetch' | 'know'>, timeoutMs = 600_000) {
  let now = NOON
  const clock = { ...systemClock, now: () => now }
  const store: Store = createMemoryStore()
  const lines: string[] = []
  const outcomes: string[] = []
  const signal = new AbortController().signal
  const ctx = {
    store,
    clock,
    log: (_level: string, line: string) => void lines.push(line),
    metrics: {
      ...createMetrics(),
      webhookAttempt: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
    },
  }
  const add = createWebhookAdder(ctx)
  const open = () => createDeliveries(ctx, { fetch, userAgent: 'Touchstone', timeoutMs })
  let deliveries = open()
  return {
    store,
    list: () => listWebhooks(store, now),
    remove: (id: string) => removeWebhook(store, id),
    lines,
    outcomes,
    clock,
    /** Creates a webhook whose secret the receiver knows. */
    async add(url: string, host = HOST) {
      const webhook = await add({ host, url })
      know(webhook.secret)
      return webhook
    },
    /** Lets time pass; what the feeds hold by then is found. */
    pass: (ms: number) => {
      now += ms
    },
    round: () => deliveries.round(signal),
    oldestPendingMs: () => deliveries.oldestPendingMs(),
    /** Continues as another process would. */
    restart: () => {
      deliveries = open()
    },
    run: (until: AbortSignal) => deliveries.run(until),
    change: (id: string, at = now) =>
      store.write('append', [
        { kind: 'change', id: `f-${id}-${at}`, at, change: aChange({ id, at: toTimestamp(at) }) },
      ]),
    incident: (id: string, state: Partial<ReturnType<typeof anIncident>> = {}) =>
      store.write('append', [
        {
          kind: 'incident',
          id: `f-${id}-${now}-${state.status}`,
          at: now,
          incident: anIncident({ id, detectedAt: toTimestamp(now), ...state }),
        },
      ]),
  }
}
