import type { Time } from '../domain/facts/facts.ts'
import type { ExpiringStore } from '../ports/expiring.ts'
import { STATE_KIND, type Webhook, type WebhookState, webhookEnd } from './webhook.ts'

/** Progress of all webhooks, read once and then written through. */
export type States = {
  /** Reads the states if they were not, and deletes those of other webhooks. */
  keep(webhooks: readonly Webhook[]): Promise<void>
  of(id: string): WebhookState
  /** Resolves once it is durable. */
  put(webhook: Webhook, state: WebhookState): Promise<void>
  oldestPendingMs(): number
}

const NEW: WebhookState = { isConfirmed: false, position: null, queue: [], failures: 0, nextAt: 0 }

/** Creates it. @param now the audit's clock */
export function createStates(documents: ExpiringStore, now: () => Time): States {
  const states = new Map<string, WebhookState>()
  let isRead = false
  return {
    async keep(webhooks) {
      if (!isRead) {
        for await (const { id, data } of documents.list(STATE_KIND, '', now()))
          states.set(id, data as WebhookState)
        isRead = true
      }
      const ids = new Set(webhooks.map(({ id }) => id))
      for (const id of states.keys()) {
        if (ids.has(id)) continue
        await documents.remove(STATE_KIND, id)
        states.delete(id)
      }
    },
    of: (id) => states.get(id) ?? NEW,
    async put(webhook, state) {
      const document = { kind: STATE_KIND, id: webhook.id, expiresAt: webhookEnd(webhook), data: state }
      await documents.put(document, now())
      states.set(webhook.id, state)
    },
    oldestPendingMs() {
      const times = [...states.values()].flatMap(({ queue }) =>
        queue.slice(0, 1).map((first) => first.queuedAt),
      )
      return times.length === 0 ? 0 : Math.max(0, now() - Math.min(...times))
    },
  }
}
