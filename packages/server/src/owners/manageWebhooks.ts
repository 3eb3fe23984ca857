import { randomBytes } from 'node:crypto'
import { siteOfHost } from '@touchstone402/shared'
import { isPublicAddress, parseIpAddress } from '@touchstone402/shared/addresses'
import type { Context } from '../context.ts'
import { ProblemError } from '../lib/problemError.ts'
import type { Store } from '../store/store.ts'
import { listWebhooks, WEBHOOK_KIND, type Webhook, webhookEnd } from './webhook.ts'

type Place = Pick<Webhook, 'host' | 'url'>

/**
 * Creates a webhook. One of the same host and URL is replaced, so that a lost secret can be renewed.
 * @param place its URL as `readWebhookUrl` returns it
 * @throws ProblemError 409 if the host, its registrable domain or the service has too many
 */
export type AddWebhook = (place: Place) => Promise<Webhook>

const MAX_OF_HOST = 5
const MAX_OF_SITE = 20
/** Each costs the process that delivers some memory, and a few reads per change. */
const MAX_WEBHOOKS = 2_000

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const newId = () => `wh_${randomBytes(12).toString('base64url')}`

/** Creates what adds webhooks, one at a time, or two could both be the last that fits. */
export function createWebhookAdder(ctx: Pick<Context, 'store' | 'clock'>): AddWebhook {
  let last: Promise<unknown> = Promise.resolve()
  return ({ host, url }) => {
    const added = last.then(() => addNow(ctx, { host, url }))
    last = added.catch(() => undefined)
    return added
  }
}

async function addNow({ store, clock }: Pick<Context, 'store' | 'clock'>, place: Place): Promise<Webhook> {
  const all = await listWebhooks(store, clock.now())
  const equal = all.filter(isAt(place))
  const others = all.filter((webhook) => !equal.includes(webhook))
  refuseTooMany(place.host, others)
  const webhook: Webhook = { id: newId(), ...place, secret: newSecret(), createdAt: clock.now() }
  const document = { kind: WEBHOOK_KIND, id: webhook.id, expiresAt: webhookEnd(webhook), data: webhook }
  await store.write('putDocument', document, clock.now())
  for (const { id } of equal) await removeWebhook(store, id)
  return webhook
}

/** Removes a webhook. Returns false if there is none. */
export const removeWebhook = (store: Store, id: string): Promise<boolean> =>
  store.write('removeDocument', WEBHOOK_KIND, id)

/** Removes the webhook of a host and URL. Returns its id, if there is one. */
export async function removeWebhookAt(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  place: Place,
): Promise<string | undefined> {
  const webhook = (await listWebhooks(store, clock.now())).find(isAt(place))
  if (webhook !== undefined) await removeWebhook(store, webhook.id)
  return webhook?.id
}

const isAt =
  ({ host, url }: Place) =>
  (webhook: Place) =>
    webhook.host === host && webhook.url === url

function refuseTooMany(host: string, others: readonly Webhook[]): void {
  const site = siteOfHost(host)
  const refuse = (detail: string) => new ProblemError(409, 'too_many_webhooks', detail)
  const refuseAt = (place: string, max: number) =>
    refuse(`${place} has ${max} webhooks already; remove one first.`)
  const countOf = (isCounted: (of: string) => boolean) => others.filter((one) => isCounted(one.host)).length
  if (countOf((of) => of === host) >= MAX_OF_HOST) throw refuseAt(host, MAX_OF_HOST)
  if (countOf((of) => siteOfHost(of) === site) >= MAX_OF_SITE) throw refuseAt(site, MAX_OF_SITE)
  if (others.length >= MAX_WEBHOOKS) throw refuse('The service has no room for more webhooks.')
}

/** The webhook URL in its normal form, or its error. */
type WebhookUrl = { readonly url: string } | { readonly fault: string }

const MAX_LENGTH = 2_048

/**
 * Reads the URL of a webhook: https on the default port, and no address that is known to be private. What its name
 * resolves to is checked when it is dialled.
 * @param allowPrivate hosts with ports that may be reached at any address and by http, for development
 */
export function readWebhookUrl(text: string, allowPrivate: readonly string[]): WebhookUrl {
  if (text === '') return { fault: 'Enter the URL.' }
  if (!/^[!-~]+$/.test(text) || !URL.canParse(text)) {
    return { fault: 'expected an absolute https URL in printable ASCII, without spaces' }
  }
  const { href, protocol, username, password, hash, port, hostname, host } = new URL(text)
  if (href.length > MAX_LENGTH) return { fault: `expected at most ${MAX_LENGTH} characters` }
  if (username !== '' || password !== '') return { fault: 'expected no user name or password' }
  if (hash !== '') return { fault: 'expected no fragment' }
  const isDevelopment = allowPrivate.includes(host) || allowPrivate.includes(hostname)
  if (isDevelopment && (protocol === 'https:' || protocol === 'http:')) return { url: href }
  if (protocol !== 'https:') return { fault: 'expected the scheme https' }
  if (port !== '') return { fault: 'expected the default port' }
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (parseIpAddress(bare) !== undefined && !isPublicAddress(bare)) {
    return { fault: 'expected a public address' }
  }
  return { url: href }
}
