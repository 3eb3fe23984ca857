import { toTimestamp } from '../../../facts/times.ts'
import { badField } from '../../../http/readFields.ts'
import { webhookEnd } from '../../../owners/webhook.ts'
import type { PageDeps } from '../../pageDeps.ts'
import type { Outcome, Sent } from './sent.ts'

/** Adds a webhook; one of the same URL is replaced. */
export async function addWebhook({ webhooks }: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const read = webhooks.readUrl(of('url'))
  if ('fault' in read) throw badField('url', 'malformed', read.fault)
  const webhook = await webhooks.add({ host, url: read.url })
  const { id, url, secret } = webhook
  const [createdAt, expiresAt] = [webhook.createdAt, webhookEnd(webhook)].map(toTimestamp)
  return {
    status: 202,
    json: { id, host, url, secret, state: 'unconfirmed', createdAt, expiresAt },
    note: `The webhook is created for a year. Your URL now gets a message of type webhook.challenge, up to six times within 24 hours. Answer it with a status of 2xx and its challenge in the body; events follow after that. This secret verifies messages, and is shown this once:`,
    copy: secret,
  }
}

/** Removes the webhook of a URL. */
export async function removeWebhook({ webhooks }: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const read = webhooks.readUrl(of('url'))
  const id = 'url' in read ? await webhooks.removeAt({ host, url: read.url }) : undefined
  if (id === undefined) throw badField('url', 'unknown', 'the host has no webhook of this URL')
  return { json: { id, removed: true }, note: 'The webhook is removed.' }
}
