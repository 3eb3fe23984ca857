import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from '../ports/store.ts'
import { createStaleHosts } from './createStaleHosts.ts'
import { createStates } from './createStates.ts'
import { type TurnDeps, takeTurn } from './takeTurn.ts'
import { listWebhooks, type WebhookState } from './webhook.ts'

export type DeliveriesDeps = Omit<TurnDeps, 'states' | 'stale' | 'store'> & {
  readonly store: TurnDeps['store'] & Pick<Store, 'watch'>
  readonly onError: (error: unknown) => void
}

/** Delivers the events of all webhooks, from its creation to the end of its only run. One process may have it at a time. */
export type Deliveries = {
  /** Makes what is due: reads events, and sends until a webhook has no more or fails. Resolves when all of it is done. */
  round(signal: AbortSignal): Promise<void>
  /** Repeats rounds until the signal fires. A slow receiver holds up no other. */
  run(signal: AbortSignal): Promise<void>
  /** Age of the oldest undelivered event in ms; 0 without any. */
  oldestPendingMs(): number
}

/** In real time. */
const ROUND_MS = 2000
const MAX_AT_ONCE = 16

/** Creates the deliveries. */
export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { documents, store, clock, onError } = deps
  const states = createStates(documents, () => clock.now())
  const stale = createStaleHosts()
  const running = new Map<string, Promise<void>>()
  /** Number of turns so far: where the next round begins, so that all get theirs. */
  let turns = 0

  /** Starts the work of webhooks that are due, as far as there is room. */
  const begin = async (signal: AbortSignal): Promise<Promise<void>[]> => {
    const webhooks = await listWebhooks(documents, clock.now())
    await states.keep(webhooks)
    stale.spread(webhooks, clock.now())
    const from = turns % Math.max(1, webhooks.length)
    const due = [...webhooks.slice(from), ...webhooks.slice(0, from)]
      .filter(({ id }) => !running.has(id) && states.of(id).nextAt <= clock.now())
      .filter((webhook) => hasWork(states.of(webhook.id), stale.has(webhook.id)))
    return due.slice(0, MAX_AT_ONCE - running.size).map((webhook) => {
      turns++
      const work = takeTurn({ ...deps, states, stale }, webhook, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) onError(error)
        })
        .finally(() => running.delete(webhook.id))
      running.set(webhook.id, work)
      return work
    })
  }

  return {
    async round(signal) {
      await Promise.all(await begin(signal))
    },
    async run(signal) {
      const stopWatching = await store.watch((changed) => stale.note(changed?.host ?? null))
      try {
        while (!signal.aborted) {
          await begin(signal).catch(onError)
          await wait(ROUND_MS, undefined, { signal }).catch(() => undefined)
        }
      } finally {
        await Promise.all(running.values())
        await stopWatching()
      }
    },
    oldestPendingMs: () => states.oldestPendingMs(),
  }
}

const hasWork = ({ isConfirmed, queue }: WebhookState, isStale: boolean) =>
  !isConfirmed || queue.length > 0 || isStale
