import type { Environment } from '../config/storageSettings.ts'
import { toDate } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import {
  createWebhookAdder,
  readWebhookUrl,
  removeWebhook as removeStored,
} from '../owners/manageWebhooks.ts'
import {
  listWebhooks as listStored,
  STATE_KIND,
  type Webhook,
  type WebhookState,
  webhookEnd,
} from '../owners/webhook.ts'
import { readHost } from '../site/hostName.ts'
import { readDocuments } from '../store/documents.ts'
import { readSummary } from '../store/hosts.ts'
import { withStore } from './withStore.ts'

/**
 * Adds a webhook of a known host.
 * @returns what to print, with its secret, which is shown this once
 * @throws Error with the reason if it fails
 */
export async function addWebhook(
  given: { readonly host: string; readonly url: string },
  environment: Environment,
): Promise<string> {
  return withStore(environment, async (store) => {
    const host = readHost(given.host)
    if (host === undefined || (await readSummary(store, host)) === undefined) {
      throw new Error(`no endpoint of ${given.host} is known`)
    }
    const read = readWebhookUrl(given.url, [])
    if ('fault' in read) throw new Error(`URL: ${read.fault}`)
    const webhook = await createWebhookAdder({ store, clock: systemClock })({ host, url: read.url })
    return [
      `Webhook ${webhook.id} of ${host} is added. Its secret is shown this once:`,
      webhook.secret,
      'Its URL gets a challenge once the server runs.',
    ].join('\n')
  })
}

/** Returns a line of each webhook. */
export async function listWebhooks(environment: Environment): Promise<string> {
  return withStore(environment, async (store) => {
    const states = new Map<string, unknown>()
    for await (const { id, data } of readDocuments(store, STATE_KIND, '', Date.now())) states.set(id, data)
    const lines = (await listStored(store, Date.now())).map((webhook) =>
      describe(webhook, states.get(webhook.id) as WebhookState | undefined),
    )
    return lines.length === 0 ? 'There are no webhooks.' : lines.sort().join('\n')
  })
}

/** Removes a webhook. Returns a summary. @throws Error if there is none of this id */
export async function removeWebhook(id: string, environment: Environment): Promise<string> {
  return withStore(environment, async (store) => {
    if (await removeStored(store, id)) return `Webhook ${id} is removed.`
    throw new Error(`there is no webhook ${id}`)
  })
}

function describe(webhook: Webhook, state: WebhookState | undefined): string {
  // The query may hold a credential.
  const url = webhook.url.replace(/\?.*$/, '?…')
  const confirmed = state?.isConfirmed ? 'confirmed' : 'not confirmed'
  const ends = toDate(webhookEnd(webhook))
  const waiting = state?.queue.length ?? 0
  return `${webhook.host} ${webhook.id} ${url} ${confirmed}, ${waiting} waiting, ends ${ends}`
}
