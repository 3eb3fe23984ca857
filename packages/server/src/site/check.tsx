import { canonicalizeUrl, InvalidUrlError, isTemplate } from '@touchstone402/shared'
import { type CheckFailure, isOver, isPublished } from '../checks/checkRecord.ts'
import { type CheckRequest, type Checks, type CheckView, KEPT_DAYS } from '../checks/createChecks.ts'
import { DAY, toTimestamp } from '../domain/facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../http/deps.ts'
import { ProblemError } from '../http/problems.ts'
import { badField } from '../http/readFields.ts'
import { answerHtml, answerJson, answerSeeOther } from './answerHtml.tsx'
import { CheckForm, localCommand } from './components/checkForm.tsx'
import { Result, titleOf } from './components/checkResult.tsx'
import { Layout, type LayoutProps } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { EndpointName, Moment, Seller } from './components/prose.tsx'
import { VerdictTag } from './components/verdictMark.tsx'
import { plural } from './format.ts'
import { isReachable, readHostOf, withScheme } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { focusPath, profilePath, SCANS_PATH, scanPath } from './paths.ts'
import { isId } from './readParameter.ts'
import { cleanText } from './text.ts'

const DONE_SECONDS = 60
const REFRESH_SECONDS = 2

/** Creates the path that takes checks, and the page of each. The empty form stands on the home page. */
export function createCheckPages(deps: PageDeps, checks: Pick<Checks, 'start' | 'read'>): Page[] {
  const { publicUrl } = deps
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
          if (error instanceof ProblemError) return refuse(error, request, given, deps)
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
        const isDone = isOver(view.check)
        const options = isDone
          ? { maxAgeSeconds: view.check.endpoint === null ? 0 : DONE_SECONDS }
          : { maxAgeSeconds: 0, refreshSeconds: REFRESH_SECONDS }
        const answer =
          accepts === 'html'
            ? answerHtml(<CheckPage view={view} deps={deps} />, options)
            : answerJson(describe(view, publicUrl), options)
        return { ...answer, isUnlisted: true }
      },
    },
  ]
}

/** Answers a refused check with the form and what was typed; programs get the problem. */
function refuse(error: ProblemError, { accepts }: PostRequest, url: string, deps: PageDeps): PageAnswer {
  const { status, code, detail, ...more } = error.refusal
  const isBusy = status === 429 || status === 503
  const message = isBusy ? `${detail} Or check it on your own machine: ${localCommand(url || 'URL')}` : detail
  if (accepts === 'json' || (url === '' && !isUrlFault(more.errors)))
    throw new ProblemError(status, code, message, more)
  const page = (
    <Frame title="Check an endpoint" path={SCANS_PATH} deps={deps} hasOwnSearch>
      <h1>Check an endpoint</h1>
      <CheckForm url={url} fault={isBusy ? message : detail.replace(/^url: /, '')} />
    </Frame>
  )
  const { retryAfterSeconds } = more
  return {
    ...answerHtml(page, { status, maxAgeSeconds: 0 }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  }
}

const isUrlFault = (errors: ProblemError['refusal']['errors']) => errors?.[0]?.parameter === 'url'

/** Reads who asks for a check of what. @throws ProblemError 400 */
async function readRequest(
  deps: PageDeps,
  { fields, client }: PostRequest,
  given: string,
): Promise<CheckRequest> {
  const subject = await readSubject(deps, given, fields.get('host'))
  const secret = fields.get('secret')
  const host = 'host' in subject ? subject.host : new URL(subject.endpoint).host
  const isOwner = secret !== undefined && (await deps.hostClaims?.heldBy(host, secret)) !== undefined
  if (secret !== undefined && !isOwner)
    throw badField('secret', 'not_held', 'secret: no claim of this host has it')
  const earlier = fields.get('previous') ?? ''
  const previous = isId(earlier) ? earlier : undefined
  const publish = fields.get('publish') === '1' ? (isOwner ? 'owner' : 'named') : undefined
  return { subject, client, isOwner, publish, previous }
}

/** Reads the URL or host of a form; a missing scheme is https. The name of a known host means its listed endpoints. */
async function readSubject(deps: PageDeps, text: string, name = ''): Promise<CheckRequest['subject']> {
  if (text === '' && name !== '') {
    const host = readHostOf(name.trim())
    if (host === undefined)
      throw badField('host', 'bad_host', 'host: expected a host, such as api.example.com')
    return { host }
  }
  if (text === '') throw badUrl('missing', 'Enter the URL or host')
  try {
    const { key, host, path } = canonicalizeUrl(withScheme(text))
    if (isTemplate(key)) throw badUrl('template', 'expected a URL without placeholders')
    if (!isReachable(host, deps))
      throw badUrl('bad_host', 'expected a full host name or an IP address, such as api.example.com')
    if (path !== '/') return { endpoint: key }
    const endpoints = (await deps.store.summary(host))?.endpoints ?? []
    return endpoints.length > 0 && endpoints.every(({ endpoint }) => endpoint !== key)
      ? { host }
      : { endpoint: key }
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
    ...{ id, url: publicUrl + scanPath(id), host, endpoint, state, ahead },
    askedAt: toTimestamp(askedAt),
    finishedAt: finishedAt === null ? null : toTimestamp(finishedAt),
    expiresAt: toTimestamp(askedAt + KEPT_DAYS * DAY),
    failure,
    published: isPublished(check),
    publication,
    terms: result?.terms ?? [],
    challenge: result?.challenge ?? null,
    result: result && { ...result, checks: result.checks.map((one) => ({ ...one, title: titleOf(one) })) },
    endpoints: rows.map((row) => ({
      ...row,
      checkedAt: row.checkedAt === null ? null : toTimestamp(row.checkedAt),
    })),
    previous: before?.id ?? null,
    profile: publicUrl + profilePath(host),
    badge: `${publicUrl}/badge/${encodeURIComponent(host)}.svg`,
  }
}

type FrameProps = Pick<LayoutProps, 'title' | 'path' | 'hasOwnSearch' | 'children'> & {
  readonly deps: PageDeps
}

/** A page about checks. */
const Frame = ({ deps: { publicUrl, operator }, ...props }: FrameProps) => (
  <Layout
    {...props}
    description="A live check of an x402 endpoint: its terms, its receiver, and what to fix."
    publicUrl={publicUrl}
    operator={operator}
    isUnlisted
  />
)

const FAILURES: Readonly<Record<CheckFailure, string>> = {
  opted_out: 'The host declines probes, so nothing was asked.',
  not_public: 'The host has no public address, or a port other than 80 and 443, so nothing was asked.',
  dns_failed: 'The host name cannot be resolved. Check the spelling.',
  own_fault: 'Nothing could be measured because of a fault on our side. Please check again.',
  interrupted: 'The check was interrupted. Please check again.',
}

/** A check: its progress, or what it found. */
function CheckPage({ view, deps }: { readonly view: CheckView; readonly deps: PageDeps }) {
  const { check, ahead } = view
  const { id, host, endpoint, result, state, failure } = check
  const name = cleanText(endpoint ?? host, 80)
  const asking = 'Asking for the terms as several clients, and reading the receiver on chain.'
  const waiting = ahead === 0 ? 'Next in line.' : `${plural(ahead, 'check')} before this one.`
  return (
    <Frame title={isOver(check) ? `Check of ${name}` : `Checking ${name}`} path={scanPath(id)} deps={deps}>
      {endpoint !== null && result !== null ? (
        <Result view={view} endpoint={endpoint} result={result} />
      ) : (
        <>
          <h1>
            {endpoint === null ? <Seller text={host} max={120} /> : <EndpointName url={endpoint} max={300} />}
          </h1>
          {endpoint === null ? (
            <HostProgress view={view} />
          ) : (
            <p class="lede" role="status">
              {failure !== null
                ? FAILURES[failure]
                : `${state === 'queued' ? waiting : asking} This page shows the result by itself.`}
            </p>
          )}
          {endpoint !== null && failure !== null && <CheckForm url={endpoint} />}
        </>
      )}
    </Frame>
  )
}

/** How far the probes of a host are. */
function HostProgress({ view: { check, rows } }: { readonly view: CheckView }) {
  const { host, askedAt } = check
  const checked = rows.filter(({ isChecked }) => isChecked).length
  const rest = isOver(check) ? 'The others are still in the queue.' : 'This page follows by itself.'
  return (
    <Panel id="endpoints" title={`${checked} of ${plural(rows.length, 'endpoint')} probed`}>
      <p role="status">
        Asked for at <Moment at={askedAt} />. {checked < rows.length && rest} One probe seldom changes a
        verdict: an outage or a changed receiver is confirmed by several.{' '}
        <a href={profilePath(host)}>Profile of the service</a>
      </p>
      <ul class="lines">
        {rows.map(({ endpoint, isChecked, status, verdict }) => (
          <li>
            <a href={focusPath(host, endpoint)}>
              <EndpointName url={endpoint} />
            </a>{' '}
            {isChecked ? status : 'waiting'} {isChecked && <VerdictTag verdict={verdict} />}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
