import { toTimestamp } from '../../../facts/times.ts'
import { badField } from '../../../http/readFields.ts'
import { readWebhookUrl, removeWebhookAt } from '../../../owners/manageWebhooks.ts'
import { webhookEnd } from '../../../owners/webhook.ts'
import type { PageDeps } from '../../pageDeps.ts'
import type { Outcome, Sent } from './sent.ts'

/** Adds a webhook; one of the same URL is replaced. */
export async function addWebhook(deps: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const read = readWebhookUrl(of('url'), deps.config.developmentAllowHosts)
  if ('fault' in read) throw badField('url', 'malformed', read.fault)
  const webhook = await deps.addWebhook({ host, url: read.url })
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
export async function removeWebhook(deps: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const read = readWebhookUrl(of('url'), deps.config.developmentAllowHosts)
  const id = 'url' in read ? await removeWebhookAt(deps, { host, url: read.url }) : undefined
  if (id === undefined) throw badField('url', 'unknown', 'the host has no webhook of this URL')
  return { json: { id, removed: true }, note: 'The webhook is removed.' }
}
