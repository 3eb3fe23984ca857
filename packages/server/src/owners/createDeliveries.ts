import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Time } from '../facts/facts.ts'
import { MINUTE } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { readDocuments } from '../store/documents.ts'
import type { Sender } from './sendMessage.ts'
import { takeTurn } from './takeTurn.ts'
import { listWebhooks, STATE_KIND, type Webhook, type WebhookState, webhookEnd } from './webhook.ts'

/** Delivers the events of all webhooks, from its creation to the end of its only run. One process may have it at a time. */
export type Deliveries = ReturnType<typeof createDeliveries>

/** In real time. */
const ROUND_MS = 2000
const MAX_AT_ONCE = 16
/** The feeds of all webhooks are read this often, in case a change was not noted. */
const SWEEP_MS = 10 * MINUTE
const NEW: WebhookState = { isConfirmed: false, position: null, queue: [], failures: 0, nextAt: 0 }

/** Creates the deliveries. */
export function createDeliveries(ctx: Pick<Context, 'store' | 'clock' | 'log' | 'metrics'>, sender: Sender) {
  const { store, clock, log } = ctx
  const warn = (error: unknown) => logFailure(log, 'webhooks', error)
  /** Read once and then written through. */
  let states: Map<string, WebhookState> | undefined
  const stateOf = (id: string) => states?.get(id) ?? NEW
  const putState = async (webhook: Webhook, state: WebhookState) => {
    const document = { kind: STATE_KIND, id: webhook.id, expiresAt: webhookEnd(webhook), data: state }
    await store.write('putDocument', document, clock.now())
    states?.set(webhook.id, state)
  }
  /** Reads the states if they were not, and deletes those of webhooks that are gone. */
  const keepStates = async (webhooks: readonly Webhook[]) => {
    const known = states ?? new Map<string, WebhookState>()
    if (states === undefined) {
      for await (const { id, data } of readDocuments(store, STATE_KIND, '', clock.now()))
        known.set(id, data as WebhookState)
      states = known
    }
    const ids = new Set(webhooks.map(({ id }) => id))
    for (const id of [...known.keys()].filter((one) => !ids.has(one))) {
      await store.write('removeDocument', STATE_KIND, id)
      known.delete(id)
    }
  }

  /** Webhooks whose feeds may have changed since they were read, and hosts that changed. */
  const stale = new Set<string>()
  const changed = new Set<string>()
  let sweepAt = Number.NEGATIVE_INFINITY
  const spreadChanges = (webhooks: readonly Webhook[], now: Time) => {
    const isSweep = now >= sweepAt
    if (isSweep) sweepAt = now + SWEEP_MS
    for (const { id, host } of webhooks) if (isSweep || changed.has(host)) stale.add(id)
    changed.clear()
  }

  const running = new Map<string, Promise<void>>()
  /** Number of turns so far: where the next round begins, so that all get theirs. */
  let turns = 0
  /** Starts the work of webhooks that are due, as far as there is room. */
  const begin = async (signal: AbortSignal): Promise<Promise<void>[]> => {
    const webhooks = await listWebhooks(store, clock.now())
    await keepStates(webhooks)
    spreadChanges(webhooks, clock.now())
    const from = turns % Math.max(1, webhooks.length)
    const due = [...webhooks.slice(from), ...webhooks.slice(0, from)].filter(({ id }) => {
      const { isConfirmed, queue, nextAt } = stateOf(id)
      return !running.has(id) && nextAt <= clock.now() && (!isConfirmed || queue.length > 0 || stale.has(id))
    })
    return due.slice(0, MAX_AT_ONCE - running.size).map((webhook) => {
      turns++
      const work = takeTurn({ ...ctx, sender, stateOf, putState, stale }, webhook, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) warn(error)
        })
        .finally(() => running.delete(webhook.id))
      running.set(webhook.id, work)
      return work
    })
  }

  return {
    /** Runs due deliveries: reads events, and sends until a webhook has no more or fails. Resolves when all of it is done. */
    async round(signal: AbortSignal): Promise<void> {
      await Promise.all(await begin(signal))
    },
    /** Repeats rounds until the signal fires. A slow receiver holds up no other. */
    async run(signal: AbortSignal): Promise<void> {
      const stopWatching = await store.watch((change) => {
        if (change === null) sweepAt = Number.NEGATIVE_INFINITY
        else changed.add(change.host)
      })
      try {
        while (!signal.aborted) {
          await begin(signal).catch(warn)
          await wait(ROUND_MS, undefined, { signal }).catch(() => undefined)
        }
      } finally {
        await Promise.all(running.values())
        await stopWatching()
      }
    },
    /** Returns the age of the oldest undelivered event in ms; 0 without any. */
    oldestPendingMs(): number {
      const times = [...(states?.values() ?? [])].flatMap(({ queue }) => queue[0]?.queuedAt ?? [])
      return times.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...times))
    },
  }
}
