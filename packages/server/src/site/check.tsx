import { canonicalizeUrl, InvalidUrlError, isTemplate } from '@touchstone402/shared'
import { type CheckRequest, FAILURES, isOver, isPublished } from '../checks/checkRecord.ts'
import { type CheckView, KEPT_DAYS } from '../checks/createChecks.ts'
import { DAY, toTimestamp } from '../facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../http/deps.ts'
import { badField, withoutName } from '../http/readFields.ts'
import { ProblemError } from '../lib/problemError.ts'
import { findClaim } from '../owners/hostClaims.ts'
import { readSummary } from '../store/hosts.ts'
import { answerHtml, answerJson, answerSeeOther } from './answerHtml.tsx'
import { CheckForm, localCommand, PublishForm } from './components/checkForm.tsx'
import { Result, titleOf } from './components/checkResult.tsx'
import { Layout } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { EndpointName } from './components/prose.tsx'
import { VerdictTag } from './components/verdictMark.tsx'
import { WhatNext } from './components/whatNext.tsx'
import { plural } from './format.ts'
import { isReachable, readHostOf, withScheme } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { focusPath, profilePath, SCANS_PATH, scanPath } from './paths.ts'
import { isId } from './readParameter.ts'
import { cleanText } from './text.ts'

const DONE_SECONDS = 60
const REFRESH_SECONDS = 2

/** Creates the path that takes checks, and the page of each. The empty form stands on the home page. */
export function createCheckPages(deps: PageDeps): Page[] {
  const { checks } = deps
  const { publicUrl } = deps.config
  return [
    {
      path: SCANS_PATH,
      handler: () => ({ ...answerSeeOther('/'), status: 301 }),
      post: async (request) => {
        const given = request.fields.get('url')?.trim() ?? ''
        // A receiver is looked up, not called.
        if (/^0x[0-9a-f]{40}$/i.test(given)) return answerSeeOther(`/?q=${given}`)
        try {
          const check = await checks.start(await readRequest(deps, request, given))
          const seeOther = { ...answerSeeOther(scanPath(check.id)), isUnlisted: true }
          if (request.accepts === 'html') return seeOther
          const view = { check, ahead: 0, rows: [], before: undefined }
          return { ...seeOther, ...answerJson(describe(view, publicUrl)), status: 303 }
        } catch (error) {
          if (error instanceof ProblemError) return refuse(error, request, deps)
          throw error
        }
      },
    },
    {
      path: `${SCANS_PATH}/:id`,
      handler: async ({ params, accepts }) => {
        const view = await checks.read(params.id ?? '')
        if (view === undefined)
          throw new ProblemError(404, 'no_such_scan', `No check of the last ${KEPT_DAYS} days has this id.`)
        const { id, host, endpoint, result } = view.check
        const isDone = isOver(view.check)
        const options = {
          maxAgeSeconds: isDone && endpoint !== null ? DONE_SECONDS : 0,
          ...(!isDone && { refreshSeconds: REFRESH_SECONDS }),
        }
        if (accepts === 'json') return { ...answerJson(describe(view, publicUrl), options), isUnlisted: true }
        const title = `${isDone ? 'Check of' : 'Checking'} ${cleanText(endpoint ?? host, 80)}`
        const page = (
          <Layout {...frameOf(deps)} title={title} path={scanPath(id)}>
            {result === null ? <Progress view={view} /> : <Result view={view} result={result} />}
          </Layout>
        )
        return { ...answerHtml(page, options), isUnlisted: true }
      },
    },
  ]
}

/** Answers a refused check with the form and what was typed; programs get the problem. */
function refuse(error: ProblemError, { accepts, fields }: PostRequest, deps: PageDeps): PageAnswer {
  const { status, code, detail, ...more } = error.refusal
  const [url = '', previous = ''] = [fields.get('url') || fields.get('host'), fields.get('previous')]
  const isBusy = status === 429 || status === 503
  const message = isBusy ? `${detail} Or check it on your own machine: ${localCommand(url || 'URL')}` : detail
  if (accepts === 'json') throw new ProblemError(status, code, message, more)
  const page = (
    <Layout {...frameOf(deps)} title="Check an endpoint" path={SCANS_PATH} hasOwnSearch>
      <h1>Check an endpoint</h1>
      {more.errors?.[0]?.parameter === 'secret' ? (
        <PublishForm url={url} previous={previous} fault={message} />
      ) : (
        <CheckForm url={url} fault={withoutName('url', message)} />
      )}
    </Layout>
  )
  return answerHtml(page, { status, maxAgeSeconds: 0, retryAfterSeconds: more.retryAfterSeconds })
}

/** Reads who asks for a check of what. @throws ProblemError 400 */
async function readRequest(
  deps: PageDeps,
  { fields, client }: PostRequest,
  given: string,
): Promise<CheckRequest> {
  const subject = await readSubject(deps, given, fields.get('host'))
  const secret = fields.get('secret')?.trim() || undefined
  const isOwner = secret !== undefined && (await findClaim(deps, subject.host, secret)) !== undefined
  if (secret !== undefined && !isOwner) throw badField('secret', 'not_held', 'no claim of this host has it')
  const previous = fields.get('previous') ?? ''
  return {
    ...subject,
    client,
    isOwner,
    isToPublish: fields.get('publish') === '1',
    previous: isId(previous) ? previous : null,
  }
}

/** Reads the URL or host of a form; a missing scheme is https. The name of a known host means its listed endpoints. */
async function readSubject(
  deps: PageDeps,
  text: string,
  name = '',
): Promise<Pick<CheckRequest, 'host' | 'endpoint'>> {
  if (text === '' && name !== '') {
    const host = readHostOf(name.trim())
    if (host !== undefined) return { host, endpoint: null }
    throw badField('host', 'bad_host', 'expected a host, such as api.example.com')
  }
  if (text === '') throw badUrl('missing', 'Enter the URL or host')
  try {
    const { key, host, path } = canonicalizeUrl(withScheme(text))
    if (isTemplate(key)) throw badUrl('template', 'expected a URL without placeholders')
    if (!isReachable(host, deps))
      throw badUrl('bad_host', 'expected a full host name or an IP address, such as api.example.com')
    const listed = path === '/' ? ((await readSummary(deps.store, host))?.endpoints ?? []) : []
    const isHost = listed.length > 0 && listed.every(({ endpoint }) => endpoint !== key)
    return { host, endpoint: isHost ? null : key }
  } catch (error) {
    if (error instanceof InvalidUrlError) throw badUrl(error.code, error.message)
    throw error
  }
}

const badUrl = (code: string, message: string) => {
  const text = `${message.replace(/\.$/, '')}.`
  return new ProblemError(400, 'bad_url', `url: ${text}`, {
    errors: [{ parameter: 'url', code, message: text }],
  })
}

function describe({ check, ahead, rows, before }: CheckView, publicUrl: string) {
  const { id, host, endpoint, state, askedAt, finishedAt, failure, publication, result } = check
  return {
    id,
    url: publicUrl + scanPath(id),
    host,
    endpoint,
    state,
    ahead,
    askedAt: toTimestamp(askedAt),
    finishedAt: finishedAt === null ? null : toTimestamp(finishedAt),
    expiresAt: toTimestamp(askedAt + KEPT_DAYS * DAY),
    failure,
    published: isPublished(check),
    publication,
    terms: result?.terms ?? [],
    challenge: result?.challenge ?? null,
    result: result && { ...result, checks: result.checks.map((one) => ({ ...one, title: titleOf(one) })) },
    endpoints: rows,
    previous: before?.id ?? null,
    profile: publicUrl + profilePath(host),
    badge: `${publicUrl}/badge/${encodeURIComponent(host)}.svg`,
  }
}

/** Properties of the layout that all pages about checks share. */
const frameOf = ({ config }: PageDeps) => ({
  description: 'A live check of an x402 endpoint: its terms, its receiver, and what to fix.',
  config,
  isUnlisted: true,
})

/** How far a check is, or why it has no result. */
function Progress({ view: { check, ahead, rows } }: { readonly view: CheckView }) {
  const { host, endpoint, state, failure } = check
  const checked = rows.filter(({ isChecked }) => isChecked).length
  const progress =
    endpoint === null
      ? `${checked} of ${plural(rows.length, 'endpoint')} probed.`
      : state === 'queued'
        ? `Checks ahead in the queue: ${ahead}.`
        : 'Asking for the terms as several clients, and reading the receiver on chain.'
  return (
    <>
      <h1>
        <EndpointName url={endpoint ?? host} max={300} />
      </h1>
      <p class="lede" role="status">
        {failure === null ? progress : FAILURES[failure]} {!isOver(check) && 'This page refreshes by itself.'}
      </p>
      {failure !== null && <CheckForm url={endpoint ?? ''} />}
      {endpoint === null && (
        <Panel id="endpoints" title="Endpoints">
          <ul>
            {rows.map(({ endpoint, isChecked, status, verdict }) => (
              <li>
                <a href={focusPath(host, endpoint)}>
                  <EndpointName url={endpoint} />
                </a>{' '}
                {isChecked ? status : 'waiting'} {isChecked && <VerdictTag verdict={verdict} />}
              </li>
            ))}
          </ul>
          <WhatNext />
          <p>
            <a href={profilePath(host)}>Profile of the service</a>
          </p>
        </Panel>
      )}
    </>
  )
}
