import type { Environment } from '../config/storageSettings.ts'
import { toDate } from '../facts/times.ts'
import { systemClock } from '../lib/systemClock.ts'
import { createWebhooks, type Webhooks } from '../owners/createWebhooks.ts'
import { STATE_KIND, type Webhook, type WebhookState, webhookEnd } from '../owners/webhook.ts'
import type { Store } from '../ports/store.ts'
import { readHost } from '../site/hostName.ts'
import { withStore } from './withStore.ts'

const USAGE = 'webhooks takes "add HOST URL", "list", or "remove ID"'

/**
 * Adds, lists or removes webhooks.
 * @returns what to print; the secret of a webhook only when it is added
 * @throws Error with the reason if it fails
 */
export async function runWebhooks(words: readonly string[], environment: Environment): Promise<string> {
  const [verb = '', ...rest] = words
  const counts: Readonly<Record<string, number>> = { add: 2, list: 0, remove: 1 }
  if (counts[verb] !== rest.length) throw new Error(USAGE)
  const [first = '', second = ''] = rest
  return withStore(environment, async (store) => {
    const webhooks = createWebhooks({ documents: store.expiring, clock: systemClock, allowPrivate: [] })
    if (verb === 'add') return await add(store, webhooks, first, second)
    if (verb === 'list') return await list(store, webhooks)
    if (await webhooks.remove(first)) return `Webhook ${first} is removed.`
    throw new Error(`there is no webhook ${first}`)
  })
}

async function add(store: Store, webhooks: Webhooks, name: string, text: string): Promise<string> {
  const host = readHost(name)
  if (host === undefined || (await store.summary(host)) === undefined) {
    throw new Error(`no endpoint of ${name} is known`)
  }
  const read = webhooks.readUrl(text)
  if ('fault' in read) throw new Error(`URL: ${read.fault}`)
  const webhook = await webhooks.add({ host, url: read.url })
  return [
    `Webhook ${webhook.id} of ${host} is added. Its secret is shown this once:`,
    webhook.secret,
    'Its URL gets a challenge once the server runs.',
  ].join('\n')
}

async function list({ expiring }: Store, webhooks: Webhooks): Promise<string> {
  const states = new Map<string, unknown>()
  for await (const { id, data } of expiring.list(STATE_KIND, '', Date.now())) states.set(id, data)
  const lines = (await webhooks.list()).map((webhook) =>
    describe(webhook, states.get(webhook.id) as WebhookState | undefined),
  )
  return lines.length === 0 ? 'There are no webhooks.' : lines.sort().join('\n')
}

function describe(webhook: Webhook, state: WebhookState | undefined): string {
  // The query may hold a credential.
  const url = webhook.url.replace(/\?.*$/, '?…')
  const confirmed = state?.isConfirmed ? 'confirmed' : 'not confirmed'
  const ends = toDate(webhookEnd(webhook))
  const waiting = state?.queue.length ?? 0
  return `${webhook.host} ${webhook.id} ${url} ${confirmed}, ${waiting} waiting, ends ${ends}`
}
