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
  type ReceiverChange,
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
import { answerHtml, answerJson } from './answerHtml.tsx'
import { Field } from './components/field.tsx'
import { Layout } from './components/layout.tsx'
import { Seller, Snippet } from './components/prose.tsx'
import { findHost, readHost, readUrl } from './hostName.ts'
import { OwnerForms, type OwnerView } from './ownerForms.tsx'
import type { PageDeps } from './pageDeps.ts'
import { ownerPath, profilePath, SCANS_PATH } from './paths.ts'
import { readParameter } from './readParameter.ts'
import { answerSeeOther } from './seeOther.ts'
import { cleanText } from './text.ts'

type OwnerDeps = Pick<PageDeps, 'store' | 'clock' | 'publicUrl' | 'operator' | 'readDocument'> &
  Required<Pick<PageDeps, 'hostClaims' | 'disputes' | 'webhooks'>>

// Windows in real time.
const PER_CLIENT = { points: 30, windowSeconds: 3600 }
/** Bounds how often a host is asked for what it publishes. */
const PER_SITE = { points: 30, windowSeconds: 3600 }
const ID = /^[\w-]{1,64}$/

/** What a form sends: a known host, and fields without spaces around them. */
type Sent = { readonly host: string; readonly of: (name: string) => string }

/** The success of a form for programs and for people, or what is wrong with a field. */
type Outcome =
  | { readonly status?: number; readonly json: object; readonly note: VNode }
  | { readonly fault: FieldFault; readonly status?: number; readonly retryAfterSeconds?: number | undefined }

const refuse = (parameter: string, code: string, message: string): Outcome => ({
  fault: { parameter, code, message },
})

/** Turns the refusal of a whole form, such as too many of something, into a fault of no field. */
const refuseWhole = ({ refusal: { status, code, detail, retryAfterSeconds } }: ProblemError): Outcome => ({
  ...{ fault: { parameter: '', code, message: detail }, status, retryAfterSeconds },
})

/** Creates `/owners/{host}`, by which the owner of a host claims it and uses the claim, and the paths of its forms. */
export function createOwnerPages(deps: OwnerDeps): Page[] {
  const { store, hostClaims } = deps
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const askSite = (host: string) => admit(sites, siteOf(hostnameOf(host)))
  /** Takes a form from the holder of a claim only. */
  const forOwner =
    (send: (deps: OwnerDeps, sent: Sent) => Promise<Outcome>) =>
    async (sent: Sent): Promise<Outcome> => {
      const secret = sent.of('secret')
      if (secret === '') return refuse('secret', 'missing', 'Enter the secret of your claim.')
      if ((await hostClaims.heldBy(sent.host, secret)) !== undefined) return send(deps, sent)
      return refuse('secret', 'not_held', 'this secret proves no claim that holds now: claim the host first')
    }
  const forms: Readonly<Record<string, (sent: Sent) => Promise<Outcome>>> = {
    claims: (sent) => claim(deps, sent, askSite),
    announcements: async (sent) => {
      const key = readUrl(sent.of('endpoint'))?.key ?? ''
      const change = (await readChanges(deps, sent.host)).find(({ endpoints }) => endpoints.includes(key))
      if (change === undefined) return refuse('endpoint', 'unknown', NO_RECEIVER)
      if (sent.of('text') !== '' || sent.of('signature') !== '') return checkSigned(change, sent)
      askSite(sent.host)
      return checkAtHost(deps, change)
    },
    disputes: forOwner(dispute),
    webhooks: forOwner(addWebhook),
    'webhooks/remove': (sent) => removeWebhook(deps, sent),
  }
  const path = '/owners/:host'
  const page: Page = {
    path,
    handler: async ({ params, search, accepts }) => {
      const host = readHost(params.host ?? '')
      const isKnown = host !== undefined && (await store.summary(host)) !== undefined
      if (!isKnown && accepts === 'html') return answerUnknown(deps, host)
      const { host: known } = await findHost(deps, params.host)
      const given = new Map(
        ['endpoint', 'incident', 'newPayTo'].flatMap((name) => {
          const value = readParameter(search, name)
          return value === undefined ? [] : [[name, value] as const]
        }),
      )
      return show(deps, known, accepts, { given })
    },
  }
  const posts = Object.entries(forms).map(
    ([part, send]): Page => ({
      path: `${path}/${part}`,
      handler: ({ params }) => answerSeeOther(ownerPath(params.host ?? '')),
      post: async ({ params, fields, accepts, client }) => {
        admit(clients, client)
        const { host } = await findHost(deps, params.host)
        const outcome = await send({ host, of: (name) => fields.get(name)?.trim() ?? '' }).catch(
          (error: unknown) => {
            // A person keeps what was typed.
            if (accepts === 'json' || !(error instanceof ProblemError)) throw error
            return refuseWhole(error)
          },
        )
        if ('fault' in outcome) {
          const { fault, status = 400, retryAfterSeconds } = outcome
          const shown = await show(deps, host, accepts, { part, given: fields, fault }, status)
          return retryAfterSeconds === undefined ? shown : { ...shown, retryAfterSeconds }
        }
        const { status, json, note } = outcome
        if (accepts === 'json') return alone(answerJson(json, { status: status ?? 200 }))
        return show(deps, host, accepts, { part, given: new Map(), note }, status)
      },
    }),
  )
  return [page, ...posts]
}

const NO_RECEIVER = 'expected an endpoint of the host whose receiver can sign a text'

/** Keeps an answer with somebody's secret out of caches and search engines. */
const alone = (answer: PageAnswer): PageAnswer => ({ ...answer, isSecret: true, isUnlisted: true })

async function readChanges({ store, clock }: OwnerDeps, host: string) {
  const [document, { announcements }] = await Promise.all([store.host(host), store.hostFacts(host)])
  return listReceiverChanges(document?.endpoints ?? [], announcements, clock.now())
}

const hasIncident = async ({ store }: OwnerDeps, host: string, id: string) =>
  ID.test(id) && (await store.incident(id))?.host === host

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
  const changes = await readChanges(deps, host)
  const endpoint = readUrl(given.get('endpoint') ?? '')?.key ?? ''
  const view: OwnerView = {
    ...{ ...sent, host, publicUrl, operator, secret, changes, now: clock.now() },
    claims: await hostClaims.of(host),
    token: claimToken(publicUrl, host, secret),
    fileUrl: hostClaims.fileUrl(host),
    change: changes.find(({ endpoints }) => endpoints.includes(endpoint)) ?? changes[0],
    isOfIncident: await hasIncident(deps, host, given.get('incident') ?? ''),
  }
  if (accepts === 'json') return alone(answerJson(describe(view)))
  return alone(answerHtml(<OwnerPage view={view} />, { status }))
}

const timeOf = (at: number | null) => (at === null ? null : toTimestamp(at))

function describe({ host, claims, secret, token, fileUrl, changes, given }: OwnerView) {
  return {
    host,
    claims: claims.map(({ method, since, checkedAt }) => ({
      method,
      since: toTimestamp(since),
      checkedAt: toTimestamp(checkedAt),
      nextCheckAt: toTimestamp(checkedAt + DAY),
    })),
    secret,
    file: { url: fileUrl, line: token },
    dns: { name: claimName(host), type: 'TXT', value: token },
    announcements: changes.map((change) => {
      const { endpoints, network, oldPayTo, newPayTo, seenAt, validFrom, announcedFrom } = change
      const text = announcementText(change, given.get('newPayTo')) ?? null
      return {
        ...{ endpoint: endpoints[0], network, oldPayTo, newPayTo, firstSeenAt: timeOf(seenAt), validFrom },
        ...{ text, announcedFrom: timeOf(announcedFrom) },
      }
    }),
  }
}

async function claim(deps: OwnerDeps, { host, of }: Sent, askSite: (host: string) => void): Promise<Outcome> {
  const method = CLAIM_METHODS.find((known) => known === of('method'))
  if (method === undefined) return refuse('method', 'malformed', 'expected file or dns')
  const secret = of('secret')
  if (!isClaimSecret(secret)) {
    return refuse('secret', 'malformed', 'expected the 43 characters that this page gave')
  }
  askSite(host)
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

async function checkSigned(change: ReceiverChange, { of }: Sent): Promise<Outcome> {
  const [endpoint = ''] = change.endpoints
  const text = of('text') || (announcementText(change) ?? '')
  const checked = await checkAnnouncement(change, text, of('signature'))
  if (!checked.ok) return checked
  return {
    json: { endpoint, verified: true, published: false, publish: checked.entry },
    note: (
      <>
        The signature is right. Serve this at <code>{wellKnown(endpoint)}</code>, beside what else is there.
        Then check what is published.
        <Snippet label="Document to publish" code={JSON.stringify({ rotations: [checked.entry] }, null, 2)} />
      </>
    ),
  }
}

const wellKnown = (endpoint: string) => `${new URL(endpoint).origin}/.well-known/x402`

async function checkAtHost(deps: OwnerDeps, change: ReceiverChange): Promise<Outcome> {
  const [endpoint = ''] = change.endpoints
  const url = wellKnown(endpoint)
  const document = (await deps.readDocument?.(url)) ?? null
  const checked = await checkPublished(change, url, document)
  if (!checked.ok) return checked
  return {
    json: { endpoint, verified: true, published: true },
    note: (
      <>
        The published announcement is right. The next probe reads it as evidence: <a href="#check">check</a>{' '}
        now, and the <a href={profilePath(change.host)}>profile</a> shows the change as announced.
      </>
    ),
  }
}

async function dispute(deps: OwnerDeps, { host, of }: Sent): Promise<Outcome> {
  const text = cleanText(of('text'), MAX_DISPUTE_CHARACTERS)
  if (text === '') return refuse('text', 'missing', 'Enter the text.')
  if ([...of('text')].length > MAX_DISPUTE_CHARACTERS) {
    return refuse('text', 'too_long', `expected at most ${MAX_DISPUTE_CHARACTERS} characters`)
  }
  if ((of('endpoint') === '') === (of('incident') === '')) {
    return refuse('endpoint', 'ambiguous', 'expected either an endpoint or an incident')
  }
  const incident = of('incident') || null
  if (incident !== null && !(await hasIncident(deps, host, incident))) {
    return refuse('incident', 'unknown', 'no incident of the host has this id')
  }
  const endpoint = incident === null ? readUrl(of('endpoint'))?.key : null
  const known = endpoint ? await deps.store.endpoint(endpoint) : undefined
  if (endpoint === undefined || (endpoint !== null && known?.state.host !== host)) {
    return refuse('endpoint', 'unknown', 'no endpoint of the host has this URL')
  }
  const opened = await deps.disputes.open({ host, endpoint, incident, text })
  if (opened === undefined) {
    const detail = 'Several disputes of this host wait for an answer already.'
    throw new ProblemError(429, 'too_many_disputes', detail, { retryAfterSeconds: DAY / 1000 })
  }
  return {
    status: 202,
    json: { id: opened.id, host, state: opened.state },
    note: (
      <>
        Received as <code>{opened.id}</code>. It is not public until the operator publishes it with an answer.
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
        The webhook is created for a year. Its secret is shown this once: it verifies messages, and removes
        the webhook.
        <Snippet label="Id of the webhook" code={id} />
        <Snippet label="Secret of the webhook" code={secret} />
        Your URL now gets a message of type <code>webhook.challenge</code>, up to six times within 24 hours.
        Answer it with a status of 2xx and its <code>challenge</code> in the body; events follow after that.
      </>
    ),
  }
}

async function removeWebhook({ webhooks }: OwnerDeps, { of }: Sent): Promise<Outcome> {
  const id = of('id')
  if (!ID.test(id) || !(await webhooks.remove(id, of('secret')))) {
    return refuse('secret', 'other_secret', 'no webhook has this id and this secret')
  }
  return { json: { id, removed: true }, note: <>The webhook is removed.</> }
}

const DESCRIPTION = 'Claim a host, check it now, announce a receiver, dispute a measurement, and get alerts.'

function OwnerPage({ view }: { readonly view: OwnerView }) {
  const { host, publicUrl, operator } = view
  const title = `Owner of ${cleanText(host, 80)}`
  return (
    <Layout
      title={title}
      description={DESCRIPTION}
      path={ownerPath(host)}
      publicUrl={publicUrl}
      operator={operator}
      isUnlisted
    >
      <h1>
        Is <Seller text={host} max={120} /> yours?
      </h1>
      <p class="lede">
        Claim it by a file or DNS. Disputes and webhooks need the claim; a check and an announcement do not.{' '}
        <a href={profilePath(host)}>Profile</a>
      </p>
      <OwnerForms view={view} />
    </Layout>
  )
}

/** Answers for a host that is not known. Nothing of a text that is no host is shown. */
function answerUnknown({ publicUrl, operator }: OwnerDeps, host: string | undefined): PageAnswer {
  const page = (
    <Layout
      title="Host not known"
      description={DESCRIPTION}
      path="/"
      publicUrl={publicUrl}
      operator={operator}
      isUnlisted
    >
      <h1>{host === undefined ? 'Not a host name' : `${cleanText(host, 120)} is not known here`}</h1>
      <p class="lede">Check one of its endpoints first. Then this page is where its owner claims it.</p>
      <form class="form" action={SCANS_PATH} method="post">
        <Field name="url" label="URL of the endpoint" value={host && `https://${host}/`} isRequired />
        <button type="submit">Check</button>
      </form>
    </Layout>
  )
  return { ...answerHtml(page, { status: 404 }), isUnlisted: true }
}
