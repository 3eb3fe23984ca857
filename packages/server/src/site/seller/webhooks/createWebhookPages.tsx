import type { HostSummary } from '../../../domain/facts/hostDocument.ts'
import { toTimestamp } from '../../../domain/facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../../../http/deps.ts'
import { badQuery } from '../../../http/free/freeRoute.ts'
import { ProblemError } from '../../../http/problems.ts'
import { admit, createLimiter } from '../../../http/rateLimit.ts'
import { badField } from '../../../http/readFields.ts'
import type { Webhooks } from '../../../notices/createWebhooks.ts'
import { type Webhook, webhookEnd } from '../../../notices/webhook.ts'
import { answerHtml, answerJson } from '../../answerHtml.tsx'
import { findHost } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { REMOVE_WEBHOOK_PATH, WEBHOOKS_PATH } from '../../paths.ts'
import { readParameter } from '../../readParameter.ts'
import { answerSeeOther } from '../../seeOther.ts'
import {
  dateOf,
  findOwnerFault,
  isCurrentDate,
  type OwnerTerms,
  ownerText,
  receiversOf,
} from './ownerText.ts'
import { AskPage, CreatedPage, RemovedPage, SignPage } from './webhookPages.tsx'

type Deps = Pick<PageDeps, 'store' | 'clock' | 'publicUrl'>
type Book = Pick<Webhooks, 'add' | 'remove' | 'readUrl'>

/** Receivers that an answer names; a host that draws them by lot may have many. */
const SHOWN_RECEIVERS = 100

// Windows in real time.
const PER_CLIENT = { points: 20, windowSeconds: 3600 }
const REMOVALS_PER_CLIENT = { points: 20, windowSeconds: 60 }

/** Creates the pages that create and remove webhooks. */
export function createWebhookPages(deps: Deps, book: Book): Page[] {
  const clients = createLimiter(PER_CLIENT)
  const removals = createLimiter(REMOVALS_PER_CLIENT)
  return [
    {
      path: WEBHOOKS_PATH,
      handler: ({ search, accepts }) => showText(deps, book, search, accepts),
      post: (request) => {
        admit(clients, request.client)
        return create(deps, book, request)
      },
    },
    {
      path: REMOVE_WEBHOOK_PATH,
      handler: () => answerSeeOther(WEBHOOKS_PATH),
      post: (request) => {
        admit(removals, request.client)
        return remove(deps, book, request)
      },
    },
  ]
}

/** Shows the text to sign, or asks for what it names. */
async function showText(
  deps: Deps,
  book: Book,
  search: string,
  accepts: PostRequest['accepts'],
): Promise<PageAnswer> {
  const { publicUrl, clock } = deps
  const [host, url] = [readParameter(search, 'host'), readParameter(search, 'url')]
  if (accepts === 'html' && (host === undefined || url === undefined)) {
    return answerHtml(<AskPage publicUrl={publicUrl} host={host} url={url} />)
  }
  const read = book.readUrl(url ?? '')
  if (accepts === 'html' && 'fault' in read) {
    const page = <AskPage publicUrl={publicUrl} host={host} url={url} fault={read.fault} />
    return answerHtml(page, { status: 400, maxAgeSeconds: 0 })
  }
  const { terms, receivers } = await readCase(deps, book, { host, url, date: dateOf(clock.now()) })
  if (accepts === 'html') {
    return answerHtml(<SignPage publicUrl={publicUrl} terms={terms} receivers={receivers} />, {
      maxAgeSeconds: 0,
    })
  }
  const shown = { receivers: receivers.slice(0, SHOWN_RECEIVERS), text: ownerText(terms) }
  return answerJson({ ...terms, ...shown }, { maxAgeSeconds: 0 })
}

async function create(deps: Deps, book: Book, { fields, accepts }: PostRequest): Promise<PageAnswer> {
  const { publicUrl, clock } = deps
  const now = clock.now()
  const of = (name: string) => fields.get(name)?.trim() ?? ''
  const { terms, receivers } = await readCase(deps, book, {
    host: of('host'),
    url: of('url'),
    date: of('date'),
  })
  const given = { address: of('address'), signature: of('signature') }
  const fault = await findOwnerFault(terms, given, receivers, now)
  if (fault !== undefined) {
    if (accepts === 'json') throw badQuery([fault], 'webhook_not_authorised')
    // An expired date cannot be signed again.
    const shown = isCurrentDate(terms.date, now) ? terms : { ...terms, date: dateOf(now) }
    const page = (
      <SignPage publicUrl={publicUrl} terms={shown} receivers={receivers} given={given} fault={fault} />
    )
    return answerHtml(page, { status: 400, maxAgeSeconds: 0 })
  }
  const { host, url } = terms
  const webhook = await book.add({ host, url, receiver: given.address.toLowerCase() }, ownerText(terms))
  const secret = { status: 202, maxAgeSeconds: 0 }
  const answer =
    accepts === 'html'
      ? answerHtml(<CreatedPage publicUrl={publicUrl} webhook={webhook} />, secret)
      : answerJson(describe(webhook, publicUrl), secret)
  return { ...answer, isSecret: true }
}

async function remove(
  { publicUrl }: Deps,
  book: Book,
  { fields, accepts }: PostRequest,
): Promise<PageAnswer> {
  const [id, secret] = ['id', 'secret'].map((name) => {
    const value = fields.get(name)?.trim() ?? ''
    if (value === '') throw badField(name, 'missing', `${name} is required`)
    return value
  }) as [string, string]
  if (!(await book.remove(id, secret))) {
    throw new ProblemError(404, 'no_such_webhook', 'No webhook has this id and this secret.')
  }
  return accepts === 'html'
    ? answerHtml(<RemovedPage publicUrl={publicUrl} />, { maxAgeSeconds: 0 })
    : answerJson({ id, removed: true }, { maxAgeSeconds: 0 })
}

type Asked = { readonly host: string | undefined; readonly url: string | undefined; readonly date: string }

/**
 * Reads what a text names, and who may sign it.
 * @throws ProblemError 400 for a missing host or a wrong URL, 404 if the host is not known or no receiver of it can sign
 */
async function readCase({ store, clock, publicUrl }: Deps, book: Book, { host, url, date }: Asked) {
  if (host === undefined || host === '') throw badField('host', 'missing', 'host is required')
  const read = book.readUrl(url ?? '')
  if ('fault' in read) throw badField('url', url ? 'malformed' : 'missing', `url: ${read.fault}`)
  const summary: HostSummary = await findHost({ store }, host)
  const endpoints = (await store.host(summary.host))?.endpoints ?? []
  const receivers = receiversOf(endpoints, clock.now())
  if (receivers.length === 0) {
    throw new ProblemError(
      404,
      'no_signing_receiver',
      'No live endpoint of this host has a receiver that could sign a text; ask the operator for a webhook.',
    )
  }
  const terms: OwnerTerms = { service: publicUrl, host: summary.host, url: read.url, date }
  return { terms, receivers }
}

function describe(webhook: Webhook, publicUrl: string) {
  const { id, host, url, secret, createdAt } = webhook
  return {
    ...{ id, host, url, secret },
    state: 'unconfirmed',
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(webhookEnd(webhook)),
    remove: publicUrl + REMOVE_WEBHOOK_PATH,
  }
}
