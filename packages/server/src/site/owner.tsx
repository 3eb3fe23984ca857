import { siteOf } from '@touchstone402/shared'
import type { VNode } from 'preact'
import { DAY, toTimestamp } from '../domain/facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../http/deps.ts'
import { badQuery } from '../http/free/freeRoute.ts'
import { ProblemError } from '../http/problems.ts'
import { admit, createLimiter } from '../http/rateLimit.ts'
import {
  announcementText,
  checkAnnouncement,
  checkPublished,
  listReceiverChanges,
} from '../owners/announcement.ts'
import { MAX_DISPUTE_CHARACTERS } from '../owners/createDisputes.ts'
import {
  CLAIM_METHODS,
  claimName,
  claimToken,
  type FieldFault,
  hostnameOf,
  isClaimSecret,
  newClaimSecret,
} from '../owners/hostClaim.ts'
import { webhookEnd } from '../owners/webhook.ts'
import { answerHtml, answerJson, answerSeeOther } from './answerHtml.tsx'
import { Snippet } from './components/prose.tsx'
import { findHost, isReachable, readHost, readUrl } from './hostName.ts'
import { OwnerPage, type OwnerView } from './ownerPage.tsx'
import type { PageDeps } from './pageDeps.ts'
import { ownerPath, profilePath } from './paths.ts'
import { isId, readParameter } from './readParameter.ts'
import { cleanText } from './text.ts'

type OwnerDeps = Pick<
  PageDeps,
  'store' | 'clock' | 'publicUrl' | 'operator' | 'readDocument' | 'developmentHosts'
> &
  Required<Pick<PageDeps, 'hostClaims' | 'disputes' | 'webhooks'>>

// Windows in real time.
const PER_CLIENT = { points: 30, windowSeconds: 3600 }
/** Bounds how often a host is asked for what it publishes. */
const PER_SITE = { points: 30, windowSeconds: 3600 }

/** What a form sends. */
type Sent = {
  /** A host that somebody may own. */
  readonly host: string
  /** Returns a field without spaces around it. */
  readonly of: (name: string) => string
  /** Counts a request to the host. @throws ProblemError 429 */
  readonly countRequest: () => void
}

/** The success of a form for programs and for people, or what is wrong with a field. */
type Outcome = { readonly status?: number; readonly json: object; readonly note: VNode } | Refused
type Refused = Pick<PageAnswer, 'status' | 'retryAfterSeconds'> & { readonly fault: FieldFault }

const refuse = (parameter: string, code: string, message: string): Outcome => ({
  fault: { parameter, code, message },
})

/** Turns the refusal of a whole form, such as too many of something, into a fault of no field. */
function refuseWhole(error: unknown): Refused {
  if (!(error instanceof ProblemError)) throw error
  const { status, code, detail, retryAfterSeconds } = error.refusal
  return {
    status,
    ...(retryAfterSeconds && { retryAfterSeconds }),
    fault: { parameter: '', code, message: detail },
  }
}

/** The forms, by their path below that of the page. */
const FORMS: Readonly<Record<string, (deps: OwnerDeps, sent: Sent) => Promise<Outcome>>> = {
  claims: claim,
  announcements: announce,
  disputes: (deps, sent) => asOwner(deps, sent, dispute),
  webhooks: (deps, sent) => asOwner(deps, sent, addWebhook),
  'webhooks/remove': (deps, sent) => asOwner(deps, sent, removeWebhook),
}

/** Returns a host that somebody may own: one of the index, or one that no directory lists yet. */
async function findOwned(deps: OwnerDeps, name = ''): Promise<{ readonly host: string }> {
  const host = readHost(name)
  return host !== undefined && isReachable(host, deps) ? { host } : findHost(deps, name)
}

/** Creates `/owners/{host}`, by which the owner of a host claims it and uses the claim, and the paths of its forms. */
export function createOwnerPages(deps: OwnerDeps): Page[] {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const path = '/owners/:host'
  const page: Page = {
    path,
    handler: async ({ params, search, accepts }) => {
      const { host } = await findOwned(deps, params.host)
      const read = (name: string) => [name, readParameter(search, name) ?? ''] as const
      return show(deps, host, accepts, { part: 'disputes', given: new Map(['endpoint', 'about'].map(read)) })
    },
  }
  const posts = Object.entries(FORMS).map(
    ([part, send]): Page => ({
      path: `${path}/${part}`,
      handler: ({ params }) => answerSeeOther(ownerPath(params.host ?? '')),
      post: async ({ params, fields, accepts, client }) => {
        admit(clients, client)
        const { host } = await findOwned(deps, params.host)
        const of = (name: string) => fields.get(name)?.trim() ?? ''
        const countRequest = () => admit(sites, siteOf(hostnameOf(host)))
        const sending = send(deps, { host, of, countRequest })
        // A person keeps what was typed.
        const outcome = await (accepts === 'json' ? sending : sending.catch(refuseWhole))
        const sent = { part: part.replace('/remove', ''), given: fields }
        if ('fault' in outcome) {
          const { fault, status = 400, ...more } = outcome
          return { ...(await show(deps, host, accepts, { ...sent, fault }, status)), ...more }
        }
        const { status = 200, json, note } = outcome
        if (accepts === 'json') return alone(answerJson(json, { status }))
        return show(deps, host, accepts, { ...sent, given: new Map(), note }, status)
      },
    }),
  )
  return [page, ...posts]
}

/** Keeps an answer with somebody's secret out of caches and search engines. */
const alone = (answer: PageAnswer): PageAnswer => ({ ...answer, isSecret: true, isUnlisted: true })

/** Reads whether the index holds a host, and the changes of its receivers. */
async function readOwned({ store, clock }: OwnerDeps, host: string) {
  const [document, { announcements }] = await Promise.all([store.host(host), store.hostFacts(host)])
  const changes = listReceiverChanges(document?.endpoints ?? [], announcements, clock.now())
  return { isListed: document !== undefined, changes }
}

/** Shows the page, or what a program needs to use its forms. @throws ProblemError 400 for a program's fault */
async function show(
  deps: OwnerDeps,
  host: string,
  accepts: PostRequest['accepts'],
  sent: Pick<OwnerView, 'given' | 'part' | 'fault' | 'note'>,
  status = 200,
): Promise<PageAnswer> {
  const { given, fault } = sent
  if (accepts === 'json' && fault !== undefined) {
    throw badQuery([{ ...fault, message: `${fault.parameter}: ${fault.message}` }], 'invalid_fields')
  }
  const { publicUrl, operator, hostClaims, clock } = deps
  const typed = given.get('secret')?.trim() ?? ''
  // The token of a secret in the wrong form is of no use, so the page comes with another one.
  const secret = isClaimSecret(typed) ? typed : newClaimSecret()
  const { isListed, changes } = await readOwned(deps, host)
  const endpoint = readUrl(given.get('endpoint') ?? '')?.key ?? ''
  const view: OwnerView = {
    ...{ ...sent, host, publicUrl, operator, secret, isListed, changes, now: clock.now() },
    claims: await hostClaims.of(host),
    token: claimToken(publicUrl, host, secret),
    fileUrl: hostClaims.fileUrl(host),
    change: changes.find(({ endpoints }) => endpoints.includes(endpoint)) ?? changes[0],
  }
  if (accepts === 'json') return alone(answerJson(describe(view)))
  return alone(answerHtml(<OwnerPage view={view} />, { status }))
}

const describe = ({ host, claims, secret, token, fileUrl, changes }: OwnerView) => ({
  host,
  claims: claims.map(({ method, since, checkedAt }) => ({
    ...{ method, since: toTimestamp(since) },
    ...{ checkedAt: toTimestamp(checkedAt), nextCheckAt: toTimestamp(checkedAt + DAY) },
  })),
  secret,
  file: { url: fileUrl, line: token },
  dns: { name: claimName(host), type: 'TXT', value: token },
  announcements: changes.map((change) => {
    const { endpoints, network, oldPayTo, newPayTo, validFrom } = change
    const [firstSeenAt, announcedFrom] = [change.seenAt, change.announcedFrom].map(
      (at) => at && toTimestamp(at),
    )
    const text = announcementText(change)
    return {
      endpoint: endpoints[0],
      network,
      oldPayTo,
      newPayTo,
      firstSeenAt,
      validFrom,
      text,
      announcedFrom,
    }
  }),
})

async function claim(deps: OwnerDeps, { host, of, countRequest }: Sent): Promise<Outcome> {
  const method = CLAIM_METHODS.find((known) => known === of('method'))
  if (method === undefined) return refuse('method', 'malformed', 'expected file or dns')
  const secret = of('secret')
  if (!isClaimSecret(secret)) {
    return refuse('secret', 'malformed', 'expected the 43 characters that this page gave')
  }
  countRequest()
  const claimed = await deps.hostClaims.claim({ host, method, secret })
  if (!claimed.ok) return claimed
  const { token, since } = claimed.claim
  return {
    json: { host, method, since: toTimestamp(since), token },
    note: (
      <>
        The host is claimed. Disputes and webhooks ask for your secret: <code>{secret}</code>
      </>
    ),
  }
}

/** Checks a signed text, which is not stored, or what the host publishes. */
async function announce(deps: OwnerDeps, { host, of, countRequest }: Sent): Promise<Outcome> {
  const key = readUrl(of('endpoint'))?.key ?? ''
  const { changes } = await readOwned(deps, host)
  const change = changes.find(({ endpoints }) => endpoints.includes(key))
  if (change === undefined) {
    return refuse('endpoint', 'unknown', 'expected an endpoint of the host whose receiver can sign a text')
  }
  const isPublished = of('method') === 'published'
  if (isPublished) countRequest()
  const url = `${new URL(key).origin}/.well-known/x402`
  const checked = isPublished
    ? await checkPublished(change, url, (await deps.readDocument?.(url)) ?? null)
    : await checkAnnouncement(change, of('text'), of('signature'))
  if (!checked.ok) return checked
  if (isPublished) {
    return {
      json: { endpoint: key, verified: true, published: true },
      note: (
        <>
          The published announcement is right. The next probe reads it as evidence: <a href="#check">check</a>{' '}
          now, and the <a href={profilePath(host)}>profile</a> shows the change as announced.
        </>
      ),
    }
  }
  return {
    json: { endpoint: key, verified: true, published: false, publish: checked.entry },
    note: (
      <>
        The signature is right. Serve this at <code>{url}</code>, beside what else is there. Then check what
        is published.
        <Snippet label="Document to publish" code={JSON.stringify({ rotations: [checked.entry] }, null, 2)} />
      </>
    ),
  }
}

/** Takes a form from the holder of a claim only. */
async function asOwner(
  deps: OwnerDeps,
  sent: Sent,
  send: (deps: OwnerDeps, sent: Sent) => Promise<Outcome>,
): Promise<Outcome> {
  const secret = sent.of('secret')
  if (secret === '') return refuse('secret', 'missing', 'Enter the secret of your claim.')
  if ((await deps.hostClaims.heldBy(sent.host, secret)) !== undefined) return send(deps, sent)
  return refuse('secret', 'not_held', 'this secret proves no claim that holds now: claim the host first')
}

async function dispute({ store, disputes }: OwnerDeps, { host, of }: Sent): Promise<Outcome> {
  const text = cleanText(of('text'), MAX_DISPUTE_CHARACTERS)
  if (text === '') return refuse('text', 'missing', 'Enter the text.')
  if ([...of('text')].length > MAX_DISPUTE_CHARACTERS) {
    return refuse('text', 'too_long', `expected at most ${MAX_DISPUTE_CHARACTERS} characters`)
  }
  const about = of('about')
  const endpoint = readUrl(about)?.key ?? null
  const subject =
    endpoint !== null
      ? (await store.endpoint(endpoint))?.state
      : isId(about)
        ? await store.incident(about)
        : undefined
  if (subject?.host !== host) {
    return refuse('about', 'unknown', 'expected the URL of an endpoint of the host, or the id of an incident')
  }
  const incident = endpoint === null ? about : null
  const opened = await disputes.open({ host, endpoint, incident, text })
  if (opened === undefined) {
    const detail = 'Several disputes of this host wait for an answer already.'
    throw new ProblemError(429, 'too_many_disputes', detail, { retryAfterSeconds: DAY / 1000 })
  }
  const { id, state } = opened
  return {
    status: 202,
    json: { id, host, state },
    note: (
      <>
        Received as <code>{id}</code>. It is not public until the operator publishes it with an answer.
      </>
    ),
  }
}

async function addWebhook({ webhooks }: OwnerDeps, { host, of }: Sent): Promise<Outcome> {
  const read = webhooks.readUrl(of('url'))
  if ('fault' in read) return refuse('url', 'malformed', read.fault)
  const webhook = await webhooks.add({ host, url: read.url })
  const { id, url, secret, createdAt } = webhook
  const [created, expires] = [createdAt, webhookEnd(webhook)].map(toTimestamp)
  return {
    status: 202,
    json: { id, host, url, secret, state: 'unconfirmed', createdAt: created, expiresAt: expires },
    note: (
      <>
        The webhook is created for a year. Its secret verifies messages, and is shown this once.
        <Snippet label="Secret of the webhook" code={secret} />
        Your URL now gets a message of type <code>webhook.challenge</code>, up to six times within 24 hours.
        Answer it with a status of 2xx and its <code>challenge</code> in the body; events follow after that.
      </>
    ),
  }
}

async function removeWebhook({ webhooks }: OwnerDeps, { host, of }: Sent): Promise<Outcome> {
  const read = webhooks.readUrl(of('url'))
  const id = 'url' in read ? await webhooks.removeAt({ host, url: read.url }) : undefined
  if (id === undefined) return refuse('url', 'unknown', 'the host has no webhook of this URL')
  return { json: { id, removed: true }, note: <>The webhook is removed.</> }
}
