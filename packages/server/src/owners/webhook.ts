import type { Change, Incident } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Store } from '../store/store.ts'
import { listDocuments } from './listDocuments.ts'

/** A URL that receives the incidents and changes of one host. */
export type Webhook = {
  readonly id: string
  readonly host: string
  readonly url: string
  /** Signs deliveries: `whsec_` and 32 random bytes in base64. Shown once, when the webhook is created. */
  readonly secret: string
  readonly createdAt: Time
}

/** An event of a host, as it is sent. */
export type NoticeEvent =
  | { readonly type: 'change'; readonly timestamp: string; readonly data: Change }
  | {
      readonly type: 'incident.opened' | 'incident.resolved'
      readonly timestamp: string
      readonly data: Incident
    }

/** An event that waits for its delivery. */
export type Notice = {
  /** Equal for every attempt, so that a receiver can drop repetitions. */
  readonly id: string
  readonly event: NoticeEvent
  readonly queuedAt: Time
}

/** Position of a webhook in the feeds of its host. */
export type FeedPosition = {
  /** Time of the newest event that was queued; at first the creation of the webhook. */
  readonly since: Time
  /** Ids of records that were queued, with their times, as far back as the feeds are read again. */
  readonly seen: readonly (readonly [id: string, at: Time])[]
  /** Ids of the incidents that were last delivered as open. */
  readonly open: readonly string[]
}

/** Progress of a webhook. Only the process that delivers writes it. */
export type WebhookState = {
  /** Whether the URL has answered the challenge. */
  readonly isConfirmed: boolean
  /** Null before the feeds were read. */
  readonly position: FeedPosition | null
  /** Oldest first. */
  readonly queue: readonly Notice[]
  /** Failed attempts of the challenge, or of the first notice in the queue. */
  readonly failures: number
  /** Earliest time of the next attempt. */
  readonly nextAt: Time
}

/** Kinds of the documents that keep webhooks and their progress. */
export const WEBHOOK_KIND = 'webhook'
export const STATE_KIND = 'webhook-state'

/** A webhook ends this long after its creation. */
const KEPT_MS = 365 * DAY

/** Returns the end of a webhook, Unix time in ms. */
export const webhookEnd = ({ createdAt }: Pick<Webhook, 'createdAt'>): Time => createdAt + KEPT_MS

/** Reads all webhooks. */
export const listWebhooks = (store: Store, now: Time): Promise<Webhook[]> =>
  listDocuments(store, WEBHOOK_KIND, '', now)
