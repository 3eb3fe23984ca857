import { ADDRESS_PATTERN, siteOf } from '@touchstone402/shared'
import type { VNode } from 'preact'
import { DAY, HOUR, toTimestamp } from '../domain/facts/times.ts'
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
import { Moment, Seller, Snippet } from './components/prose.tsx'
import { findHost, readHost, readUrl } from './hostName.ts'
import {
  AlertPanel,
  AnnouncePanel,
  BadgePanel,
  CheckPanel,
  ClaimPanel,
  DisputeFormPanel,
  type OwnerView,
} from './ownerForms.tsx'
import type { PageDeps } from './pageDeps.ts'
import { ownerPath, profilePath, SCANS_PATH } from './paths.ts'
import { readParameter } from './readParameter.ts'
import { answerSeeOther } from './seeOther.ts'
import { cleanText } from './text.ts'

type OwnerDeps = Pick<PageDeps, 'store' | 'clock' | 'publicUrl' | 'readDocument' | 'recheck'> &
  Required<Pick<PageDeps, 'hostClaims' | 'disputes' | 'webhooks'>>

// Windows in real time.
const PER_CLIENT = { points: 30, windowSeconds: 3600 }
/** Bounds how often a host is asked for what it publishes. */
const PER_SITE = { points: 30, windowSeconds: 3600 }
const PER_HOST = { points: 1, windowSeconds: HOUR / 1000 }

const ID = /^[\w-]{1,64}$/

/** What a form asks for, with its host known and its fields trimmed. */
type Sent = { readonly host: string; readonly of: (name: string) => string }

/** The success of a form for programs and for people, or what is wrong with a field. */
type Outcome =
  | { readonly status?: number; readonly json: object; readonly note: VNode }
  | { readonly fault: FieldFault }

const refuse = (parameter: string, code: string, message: string): Outcome => ({
  fault: { parameter, code, message },
})

/** Creates `/owners/{host}`, by which the owner of a host claims it and uses the claim, and the paths of its forms. */
export function createOwnerPages(deps: OwnerDeps): Page[] {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const rechecks = createLimiter(PER_HOST)
  const admitSite = (host: string) => admit(sites, siteOf(hostnameOf(host)))
  /** Returns the fault of a secret that proves no claim of the host. */
  const findStranger = async ({ host, of }: Sent): Promise<Outcome | undefined> => {
    if (of('secret') === '') return refuse('secret', 'missing', 'Enter the secret of your claim.')
    if ((await deps.hostClaims.heldBy(host, of('secret'))) !== undefined) return undefined
    return refuse('secret', 'not_held', 'this secret proves no claim that holds now: claim the host first')
  }
  const forms: Readonly<Record<string, (sent: Sent) => Promise<Outcome>>> = {
    claims: (sent) => claim(deps, sent, admitSite),
    announcements: async (sent) => {
      const change = (await readChanges(deps, sent.host)).find(({ endpoints }) =>
        endpoints.includes(readUrl(sent.of('endpoint'))?.key ?? ''),
      )
      if (change === undefined)
        return refuse(
          'endpoint',
          'unknown',
          'expected an endpoint of the host whose receiver can sign a text',
        )
      if (sent.of('text') !== '' || sent.of('signature') !== '') return checkSigned(change, sent)
      admitSite(sent.host)
      const outcome = await checkAtHost(deps, change)
      if ('json' in outcome && rechecks.take(sent.host) === 0) await deps.recheck?.(sent.host)
      return outcome
    },
    disputes: async (sent) => (await findStranger(sent)) ?? dispute(deps, sent),
    webhooks: async (sent) => (await findStranger(sent)) ?? addWebhook(deps, sent),
    'webhooks/remove': (sent) => removeWebhook(deps, sent),
  }

  const page: Page = {
    path: '/owners/:host',
    hasJson: true,
    handler: async ({ params, search, accepts }) => {
      const name = params.host ?? ''
      const host = readHost(name)
      const isKnown = host !== undefined && (await deps.store.summary(host)) !== undefined
      if (!isKnown && accepts === 'html') return answerUnknown(deps, host)
      const { host: known } = await findHost(deps, name)
      const given = new Map(
        ['endpoint', 'incident', 'newPayTo'].flatMap((field) => {
          const value = readParameter(search, field)
          return value === undefined ? [] : [[field, value] as const]
        }),
      )
      const planned = given.get('newPayTo') ?? ''
      if (planned === '' || ADDRESS_PATTERN.test(planned)) return show(deps, known, accepts, { given })
      const fault = {
        parameter: 'newPayTo',
        code: 'malformed',
        message: 'expected 0x and 40 hexadecimal digits',
      }
      given.delete('newPayTo')
      return show(deps, known, accepts, { given, part: 'announcements', fault })
    },
  }
  const posts = Object.entries(forms).map(
    ([part, send]): Page => ({
      path: `${page.path}/${part}`,
      handler: ({ params }) => answerSeeOther(ownerPath(params.host ?? '')),
      post: async ({ params, fields, accepts, client }) => {
        admit(clients, client)
        const { host } = await findHost(deps, params.host)
        const outcome = await send({ host, of: (name) => (fields.get(name) ?? '').trim() })
        if ('fault' in outcome) {
          return show(deps, host, accepts, { part, given: fields, fault: outcome.fault })
        }
        const { status = 200, json, note } = outcome
        if (accepts === 'json') return alone(answerJson(json, { status }))
        const given = new Map(part === 'claims' ? [['secret', fields.get('secret') ?? '']] : [])
        return show(deps, host, accepts, { given, note, status })
      },
    }),
  )
  return [page, ...posts]
}

/** Keeps an answer with somebody's secret out of caches and search engines. */
const alone = (answer: PageAnswer): PageAnswer => ({ ...answer, isSecret: true, isUnlisted: true })

const findIncident = async (store: OwnerDeps['store'], id: string) =>
  ID.test(id) ? await store.incident(id) : undefined

const readChanges = async ({ store, clock }: OwnerDeps, host: string) =>
  listReceiverChanges((await store.host(host))?.endpoints ?? [], clock.now())

type Shown = Pick<OwnerView, 'given' | 'part' | 'fault'> & {
  /** What a form has done. */
  readonly note?: VNode
  readonly status?: number
}

/** Shows the page, or what a program needs to use its forms. @throws ProblemError 400 for a program's fault */
async function show(
  deps: OwnerDeps,
  host: string,
  accepts: PostRequest['accepts'],
  { note, status, ...sent }: Shown,
): Promise<PageAnswer> {
  const { given, fault } = sent
  if (accepts === 'json' && fault !== undefined) {
    throw badQuery([{ ...fault, message: `${fault.parameter}: ${fault.message}` }], 'invalid_fields')
  }
  const { publicUrl, hostClaims, store, clock } = deps
  const typed = (given.get('secret') ?? '').trim()
  // The tokens of a secret in the wrong form are of no use, so the page comes with another one.
  const secret = isClaimSecret(typed) ? typed : newClaimSecret()
  const [changes, claims] = await Promise.all([readChanges(deps, host), hostClaims.of(host)])
  const endpoint = readUrl(given.get('endpoint') ?? '')?.key ?? ''
  const view: OwnerView = {
    ...sent,
    ...{ host, publicUrl, claims, secret, changes, now: clock.now() },
    token: claimToken(publicUrl, host, secret),
    fileUrl: hostClaims.fileUrl(host),
    change: changes.find(({ endpoints }) => endpoints.includes(endpoint)) ?? changes[0],
    isOfIncident: (await findIncident(store, given.get('incident') ?? ''))?.host === host,
  }
  if (accepts === 'json') return alone(answerJson(describe(view)))
  const page = <OwnerPage view={view} note={note} />
  return alone(answerHtml(page, { status: fault === undefined ? (status ?? 200) : 400 }))
}

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
    announcements: changes.map(({ endpoints, seenAt, host: _, ...change }) => ({
      endpoint: endpoints[0],
      ...change,
      firstSeenAt: seenAt === null ? null : toTimestamp(seenAt),
      text: announcementText({ endpoints, seenAt, host, ...change }, given.get('newPayTo')) ?? null,
    })),
  }
}

async function claim(
  deps: OwnerDeps,
  { host, of }: Sent,
  admitSite: (host: string) => void,
): Promise<Outcome> {
  const method = CLAIM_METHODS.find((known) => known === of('method'))
  if (method === undefined) return refuse('method', 'malformed', `expected ${CLAIM_METHODS.join(' or ')}`)
  if (!isClaimSecret(of('secret'))) {
    return refuse('secret', 'malformed', 'expected the 43 characters that this page gave')
  }
  admitSite(host)
  const claimed = await deps.hostClaims.claim({ host, method, secret: of('secret') })
  if (!claimed.ok) return claimed
  const { token, since } = claimed.claim
  return {
    json: { host, method, since: toTimestamp(since), token },
    note: <>The host is claimed. Keep your secret: the forms below ask for it.</>,
  }
}

async function checkSigned(change: ReceiverChange, { of }: Sent): Promise<Outcome> {
  const [endpoint = ''] = change.endpoints
  const checked = await checkAnnouncement(
    change,
    of('text') || (announcementText(change) ?? ''),
    of('signature'),
  )
  if (!checked.ok) return checked
  return {
    json: { endpoint, verified: true, published: false, publish: checked.entry },
    note: (
      <>
        The signature is right. Serve this at <code>{wellKnown(endpoint)}</code>; what else is there may stay.
        Then check what is published.
        <Snippet label="Document to publish" code={JSON.stringify({ rotations: [checked.entry] }, null, 2)} />
      </>
    ),
  }
}

const wellKnown = (endpoint: string) => `${new URL(endpoint).origin}/.well-known/x402`

async function checkAtHost({ readDocument, publicUrl }: OwnerDeps, change: ReceiverChange): Promise<Outcome> {
  const [endpoint = ''] = change.endpoints
  const url = wellKnown(endpoint)
  const checked = await checkPublished(change, url, (await readDocument?.(url)) ?? null)
  if (!checked.ok) return checked
  return {
    status: 202,
    json: { endpoint, verified: true, published: true, next: publicUrl + profilePath(change.host) },
    note: (
      <>
        The published announcement is right. The next probe reads it as evidence, and the{' '}
        <a href={profilePath(change.host)}>profile</a> shows the change as announced.
      </>
    ),
  }
}

async function dispute({ store, disputes }: OwnerDeps, { host, of }: Sent): Promise<Outcome> {
  const text = cleanText(of('text'), MAX_DISPUTE_CHARACTERS)
  if (text === '') return refuse('text', 'missing', 'Enter the text.')
  if ([...of('text')].length > MAX_DISPUTE_CHARACTERS) {
    return refuse('text', 'too_long', `expected at most ${MAX_DISPUTE_CHARACTERS} characters`)
  }
  if ((of('endpoint') === '') === (of('incident') === '')) {
    return refuse('endpoint', 'ambiguous', 'expected either an endpoint or an incident')
  }
  const incident = of('incident') || null
  const endpoint = readUrl(of('endpoint'))?.key ?? null
  if (incident !== null && (await findIncident(store, incident))?.host !== host) {
    return refuse('incident', 'unknown', 'no incident of the host has this id')
  }
  if (incident === null && (endpoint === null || (await store.endpoint(endpoint))?.state.host !== host)) {
    return refuse('endpoint', 'unknown', 'no endpoint of the host has this URL')
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
    note: (
      <>
        Your dispute <code>{id}</code> was received. It is published with an answer once the operator has read
        it; until then it is not public.
      </>
    ),
  }
}

async function addWebhook({ webhooks }: OwnerDeps, { host, of }: Sent): Promise<Outcome> {
  const read = webhooks.readUrl(of('url'))
  if ('fault' in read) return refuse('url', of('url') === '' ? 'missing' : 'malformed', read.fault)
  const webhook = await webhooks.add({ host, url: read.url })
  const { id, url, secret, createdAt } = webhook
  return {
    status: 202,
    json: {
      ...{ id, host, url, secret },
      state: 'unconfirmed',
      createdAt: toTimestamp(createdAt),
      expiresAt: toTimestamp(webhookEnd(webhook)),
    },
    note: (
      <>
        The webhook is created, and ends on <Moment at={webhookEnd(webhook)} />. Its secret is shown this
        once: it verifies messages, and removes the webhook.
        <Snippet label="Id of the webhook" code={id} />
        <Snippet label="Secret of the webhook" code={secret} />
        Your URL now gets a signed message of type <code>webhook.challenge</code>. Answer it with a status of
        2xx and its <code>challenge</code> in the body, at the latest at the sixth attempt within 24 hours;
        events follow after that.
      </>
    ),
  }
}

async function removeWebhook({ webhooks }: OwnerDeps, { of }: Sent): Promise<Outcome> {
  const id = of('id')
  if (id === '') return refuse('id', 'missing', 'Enter the id.')
  if (!ID.test(id) || !(await webhooks.remove(id, of('secret')))) {
    return refuse('secret', 'other_secret', 'no webhook has this id and this secret')
  }
  return { json: { id, removed: true }, note: <>The webhook is removed.</> }
}

const DESCRIPTION = 'Claim a host, check it now, announce a receiver, dispute a measurement, and get alerts.'

function OwnerPage({ view, note }: { readonly view: OwnerView; readonly note: VNode | undefined }) {
  const { host, publicUrl, fault } = view
  return (
    <Layout
      title={`Owner of ${cleanText(host, 80)}`}
      description={DESCRIPTION}
      path={ownerPath(host)}
      publicUrl={publicUrl}
      isUnlisted
    >
      <h1>
        Is <Seller text={host} max={120} /> yours?
      </h1>
      <p class="lede">
        Claim it by a file or DNS. Disputes and webhooks need the claim; a check and an announcement do not.{' '}
        <a href={profilePath(host)}>Profile</a>
      </p>
      {fault !== undefined && (
        <p class="fault" role="alert">
          Not done: {fault.message}
        </p>
      )}
      {note !== undefined && (
        <div class="notice" role="status">
          {note}
        </div>
      )}
      <div class="stack">
        <ClaimPanel view={view} />
        <CheckPanel view={view} />
        <AnnouncePanel view={view} />
        <DisputeFormPanel view={view} />
        <AlertPanel view={view} />
        <BadgePanel view={view} />
      </div>
    </Layout>
  )
}

/** Answers for a host that is not known. Nothing of a text that is no host is shown. */
function answerUnknown({ publicUrl }: OwnerDeps, host: string | undefined): PageAnswer {
  const page = (
    <Layout title="Host not known" description={DESCRIPTION} path="/" publicUrl={publicUrl} isUnlisted>
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
