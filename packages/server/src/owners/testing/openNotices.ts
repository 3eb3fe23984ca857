import { toTimestamp } from '../../facts/times.ts'
import type { Store } from '../../store/store.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aChange, anIncident, NOON } from '../../store/testing/records.ts'
import { createDeliveries, type DeliveriesDeps } from '../createDeliveries.ts'
import { createSender } from '../createSender.ts'
import { createWebhooks } from '../createWebhooks.ts'
import type { openReceiver } from './openReceiver.ts'

type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** Host of the sample records. */
export const HOST = 'api.example'

/** Runs webhooks and their deliveries over a store, by a clock that the test moves. */
export function openNotices({ fetch, know }: Pick<Receiver, 'fetch' | 'know'>, timeoutMs = 600_000) {
  let now = NOON
  let ids = 0
  const clock = { now: () => now }
  const store: Store = createMemoryStore()
  const lines: string[] = []
  const outcomes: string[] = []
  const signal = new AbortController().signal
  const webhooks = createWebhooks({
    documents: store,
    clock,
    allowPrivate: [],
  })
  const deps: DeliveriesDeps = {
    documents: store,
    store,
    clock,
    send: createSender({ fetch, userAgent: 'Touchstone', now: Date.now, timeoutMs }),
    newChallenge: () => `challenge-${++ids}`,
    onOutcome: (outcome) => outcomes.push(outcome),
    onLine: (line) => lines.push(line),
    onError: (error) => lines.push(`error: ${error}`),
  }
  let deliveries = createDeliveries(deps)
  return {
    store,
    webhooks,
    lines,
    outcomes,
    clock,
    /** Creates a webhook whose secret the receiver knows. */
    async add(url: string, host = HOST) {
      const webhook = await webhooks.add({ host, url })
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
      deliveries = createDeliveries(deps)
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
