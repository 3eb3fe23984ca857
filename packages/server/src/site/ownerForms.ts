import { DAY, toTimestamp } from '../facts/times.ts'
import { ProblemError } from '../http/problems.ts'
import { badField } from '../http/readFields.ts'
import { LIMITS } from '../judge/spec.ts'
import {
  type CheckedAnnouncement,
  checkAnnouncement,
  checkPublished,
  listReceiverChanges,
} from '../owners/announcement.ts'
import { confirmChange, whyUnconfirmable } from '../owners/confirmations.ts'
import { MAX_DISPUTE_CHARACTERS } from '../owners/createDisputes.ts'
import { CLAIM_METHODS, type HostClaim, isClaimSecret } from '../owners/hostClaim.ts'
import { webhookEnd } from '../owners/webhook.ts'
import { listFunding } from '../publish/fundedPurchase.ts'
import { readUrl } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { isId } from './readParameter.ts'
import { cleanText } from './text.ts'

/** A form that was sent. */
type Sent = {
  /** A host that can be claimed. */
  readonly host: string
  /** Returns a field without spaces around it. */
  readonly of: (name: string) => string
  /** Counts a request to the host. @throws ProblemError 429 */
  readonly countRequest: () => void
}

/** The success of a form: the answer for programs, and a sentence for people with what they copy. */
type Outcome = {
  readonly status?: number
  readonly json: object
  readonly note: string
  readonly copy?: string
}

/** Takes a form. @throws ProblemError that names the field at fault, if there is one */
type Take = (deps: PageDeps, sent: Sent) => Promise<Outcome>
/** Takes a form of the holder of a host claim. */
type TakeOwned = (deps: PageDeps, sent: Sent, claim: HostClaim) => Promise<Outcome>

/** The forms of an owner, by their path below that of the page. `http/paths.ts` describes their fields. */
export const OWNER_FORMS: Readonly<Record<string, Take>> = {
  claims: claim,
  announcements: announce,
  confirmations: asOwner(confirm),
  disputes: asOwner(dispute),
  webhooks: asOwner(addWebhook),
  'webhooks/remove': asOwner(removeWebhook),
}

/** Accepts a form only from the holder of a host claim. */
function asOwner(take: TakeOwned): Take {
  return async (deps, sent) => {
    const secret = sent.of('secret')
    if (secret === '') throw badField('secret', 'missing', 'Enter the secret of your claim.')
    const held = await deps.hostClaims.heldBy(sent.host, secret)
    if (held !== undefined) return take(deps, sent, held)
    throw badField('secret', 'not_held', 'this secret proves no claim that holds now: claim the host first')
  }
}

async function claim({ hostClaims }: PageDeps, { host, of, countRequest }: Sent): Promise<Outcome> {
  const method = CLAIM_METHODS.find((known) => known === of('method'))
  if (method === undefined) throw badField('method', 'malformed', 'expected file or dns')
  const secret = of('secret')
  if (!isClaimSecret(secret)) {
    throw badField('secret', 'malformed', 'expected the 43 characters that this page gave')
  }
  countRequest()
  const claimed = await hostClaims.claim({ host, method, secret })
  if ('fault' in claimed) throw badField('method', claimed.fault.code, claimed.fault.message)
  const { token, since } = claimed
  return {
    json: { host, method, since: toTimestamp(since), token },
    note: 'The host is claimed. Disputes and webhooks ask for your secret:',
    copy: secret,
  }
}

/**
 * Reads the receiver changes of a host, payments that fund test purchases, and whether the index holds the host.
 * @param planned new receiver of changes before its use. @default not known
 */
export async function readReceivers({ store, clock, payTo }: PageDeps, host: string, planned?: string) {
  const [document, { announcements }] = await Promise.all([store.host(host), store.hostFacts(host)])
  const changes = listReceiverChanges(document?.endpoints ?? [], announcements, clock.now(), planned)
  const funding = listFunding(document?.endpoints ?? [], payTo)
  return { isListed: document !== undefined, changes, funding }
}

/** Checks a signed text, which is not stored, or what the host publishes. */
async function announce(deps: PageDeps, { host, of, countRequest }: Sent): Promise<Outcome> {
  const endpoint = readUrl(of('endpoint'))?.key ?? ''
  const { changes } = await readReceivers(deps, host)
  const change = changes.find(({ endpoints }) => endpoints.includes(endpoint))
  if (change === undefined) {
    throw badField('endpoint', 'unknown', 'expected an endpoint of the host whose receiver can sign a text')
  }
  const url = `${new URL(endpoint).origin}/.well-known/x402`
  if (of('method') === 'published') {
    countRequest()
    entryOf(await checkPublished(change, url, await deps.readDocument(url)))
    return {
      json: { endpoint, verified: true, published: true },
      note: 'The published announcement is right. The next probe reads it as evidence: check the host now, and its profile shows the change as announced.',
    }
  }
  const publish = entryOf(await checkAnnouncement(change, of('text'), of('signature')))
  return {
    json: { endpoint, verified: true, published: false, publish },
    note: `The signature is right. Serve this at ${url}, beside what else is there. Then check what is published.`,
    copy: JSON.stringify({ rotations: [publish] }, null, 2),
  }
}

/** Records that the owner of the host confirms a change of receiver that came after the claim. */
async function confirm(deps: PageDeps, { host, of }: Sent, held: HostClaim): Promise<Outcome> {
  const endpoint = readUrl(of('endpoint'))?.key ?? ''
  const { changes } = await readReceivers(deps, host)
  const change = changes.find(({ endpoints }) => endpoints.includes(endpoint))
  if (change === undefined) {
    throw badField('endpoint', 'unknown', 'expected an endpoint of the host whose receiver changed')
  }
  const fault = whyUnconfirmable(change, held)
  if (fault !== undefined) throw badField(fault.parameter, fault.code, fault.message)
  const announcement = confirmChange(change, held, deps.clock.now())
  await deps.confirmReceiver(announcement)
  const { newPayTo, oldPayTo } = announcement
  const from = Date.parse(change.firstSeenAt ?? '') + LIMITS.confirmedByHostMs
  return {
    json: { endpoint, oldPayTo, newPayTo, claimedAt: toTimestamp(held.since), countsFrom: toTimestamp(from) },
    note: `Confirmed. Once the receiver has stayed for seven days, on ${toTimestamp(from).slice(0, 10)}, Avoid becomes Caution. A signature by the old receiver makes it Safe.`,
  }
}

function entryOf(checked: CheckedAnnouncement) {
  if ('newPayTo' in checked) return checked
  throw badField(checked.parameter, checked.code, checked.message)
}

async function dispute({ store, disputes }: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const text = cleanText(of('text'), MAX_DISPUTE_CHARACTERS)
  if (text === '') throw badField('text', 'missing', 'Enter the text.')
  if ([...of('text')].length > MAX_DISPUTE_CHARACTERS) {
    throw badField('text', 'too_long', `expected at most ${MAX_DISPUTE_CHARACTERS} characters`)
  }
  const about = of('about')
  const endpoint = readUrl(about)?.key ?? null
  const incident = endpoint === null && isId(about) ? about : null
  const subject =
    endpoint === null
      ? incident !== null && (await store.incident(incident))
      : (await store.endpoint(endpoint))?.state
  if (!subject || subject.host !== host) {
    throw badField(
      'about',
      'unknown',
      'expected the URL of an endpoint of the host, or the id of an incident',
    )
  }
  const opened = await disputes.open({ host, endpoint, incident, text })
  if (opened === undefined) {
    const detail = 'Several disputes of this host wait for an answer already.'
    throw new ProblemError(429, 'too_many_disputes', detail, { retryAfterSeconds: DAY / 1000 })
  }
  const { id, state } = opened
  return {
    status: 202,
    json: { id, host, state },
    note: `Received as ${id}. It is not public until the operator publishes it with an answer.`,
  }
}

async function addWebhook({ webhooks }: PageDeps, { host, of }: Sent): Promise<Outcome> {
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

async function removeWebhook({ webhooks }: PageDeps, { host, of }: Sent): Promise<Outcome> {
  const read = webhooks.readUrl(of('url'))
  const id = 'url' in read ? await webhooks.removeAt({ host, url: read.url }) : undefined
  if (id === undefined) throw badField('url', 'unknown', 'the host has no webhook of this URL')
  return { json: { id, removed: true }, note: 'The webhook is removed.' }
}
