import {
  canonicalizeUrl,
  findKnownNetwork,
  InvalidUrlError,
  isTemplate,
  VERDICT_LABELS,
  type VerdictCode,
} from '@touchstone402/shared'
import { STACKS } from '@touchstone402/shared/scan'
import type {
  CheckedOffer,
  CheckFailure,
  CheckFinding,
  CheckRecord,
  CheckResult,
  Publication,
} from '../checks/checkRecord.ts'
import { type CheckRequest, type Checks, type CheckView, KEPT_DAYS } from '../checks/createChecks.ts'
import { DAY, toTimestamp } from '../domain/facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../http/deps.ts'
import { ProblemError } from '../http/problems.ts'
import { badField } from '../http/readFields.ts'
import { answerHtml, answerJson } from './answerHtml.tsx'
import { CheckButton, CheckForm, localCommand } from './components/checkForm.tsx'
import { FLAG_NAMES } from './components/flagNames.ts'
import { Layout } from './components/layout.tsx'
import { type Definition, Definitions, Panel } from './components/panel.tsx'
import { Address, EndpointName, Moment, Seller, Snippet } from './components/prose.tsx'
import { VerdictMark, VerdictTag } from './components/verdictMark.tsx'
import { VerdictPanel } from './components/verdictPanel.tsx'
import { formatUsd, plural } from './format.ts'
import { isReachable, readHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { cardPath, focusPath, ownerPath, profilePath, SCANS_PATH, scanPath } from './paths.ts'
import { answerSeeOther } from './seeOther.ts'
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
          if (error instanceof ProblemError) return refuse(error, request, given || '', publicUrl)
          throw error
        }
      },
    },
    {
      path: `${SCANS_PATH}/:id`,
      hasJson: true,
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
            ? answerHtml(<CheckPage view={view} publicUrl={publicUrl} />, options)
            : answerJson(describe(view, publicUrl), options)
        return { ...answer, isUnlisted: true }
      },
    },
  ]
}

/** Whether a check has ended. */
const isOver = ({ state }: CheckRecord): boolean => state === 'done' || state === 'failed'

/** Answers a refused check with the form and what was typed; programs get the problem. */
function refuse(error: ProblemError, { accepts }: PostRequest, url: string, publicUrl: string): PageAnswer {
  const { status, code, detail, ...more } = error.refusal
  const isBusy = status === 429 || status === 503
  const message = isBusy ? `${detail} Or check it on your own machine: ${localCommand(url || 'URL')}` : detail
  if (accepts === 'json' || (url === '' && !isUrlFault(more.errors)))
    throw new ProblemError(status, code, message, more)
  const page = (
    <Layout
      title="Check an endpoint"
      description="A live check of one x402 endpoint: its terms, its receiver, and what to fix."
      path={SCANS_PATH}
      publicUrl={publicUrl}
      isUnlisted
      hasOwnSearch
    >
      <h1>Check an endpoint</h1>
      <Panel id="check" title="Which endpoint?">
        <CheckForm url={url} fault={isBusy ? message : detail.replace(/^url: /, '')} />
      </Panel>
    </Layout>
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
  const previous = /^[\w-]{1,64}$/.exec(fields.get('previous') ?? '')?.[0]
  const publish = fields.get('publish') === '1' ? (isOwner ? 'owner' : 'named') : undefined
  return { subject, client, publish, previous }
}

/** Reads the URL or host of a form; a missing scheme is https. The name of a known host means its listed endpoints. */
async function readSubject(deps: PageDeps, text: string, name = ''): Promise<CheckRequest['subject']> {
  if (text === '' && name !== '') {
    const host = readHost(name.trim())
    if (host === undefined)
      throw badField('host', 'bad_host', 'host: expected a host, such as api.example.com')
    return { host }
  }
  if (text === '') throw badUrl('missing', 'Enter the URL or host')
  try {
    const { key, host, path } = canonicalizeUrl(text.includes('://') ? text : `https://${text}`)
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

const titleOf = ({ id, title }: CheckFinding): string =>
  title || (FLAG_NAMES as Record<string, string>)[id] || id

function describe({ check, ahead, rows, before }: CheckView, publicUrl: string) {
  const { id, host, endpoint, state, askedAt, finishedAt, failure, publication, result } = check
  return {
    ...{ id, url: publicUrl + scanPath(id), host, endpoint, state, ahead },
    askedAt: toTimestamp(askedAt),
    finishedAt: finishedAt === null ? null : toTimestamp(finishedAt),
    expiresAt: toTimestamp(askedAt + KEPT_DAYS * DAY),
    failure,
    published: publication === 'listed' || publication === 'published',
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

type CheckPageProps = { readonly view: CheckView; readonly publicUrl: string }

/** A check: its progress, or what it found. */
function CheckPage({ view, publicUrl }: CheckPageProps) {
  const { check } = view
  const { id, host, endpoint, result } = check
  const name = cleanText(endpoint ?? host, 80)
  return (
    <Layout
      title={isOver(check) ? `Check of ${name}` : `Checking ${name}`}
      description="A live check of an x402 endpoint: its terms, its receiver, and what to fix."
      path={scanPath(id)}
      publicUrl={publicUrl}
      card={cardPath(scanPath(id))}
      isUnlisted
    >
      {endpoint === null ? (
        <>
          <h1>
            Check of <Seller text={host} max={120} />
          </h1>
          <HostProgress view={view} />
        </>
      ) : result === null ? (
        <Pending view={view} endpoint={endpoint} />
      ) : (
        <Result view={view} endpoint={endpoint} result={result} />
      )}
    </Layout>
  )
}

const FAILURES: Readonly<Record<CheckFailure, string>> = {
  opted_out: 'The host declines probes, so nothing was asked.',
  not_public: 'The host has no public address, or a port other than 80 and 443, so nothing was asked.',
  dns_failed: 'The host name cannot be resolved. Check the spelling.',
  own_fault: 'Nothing could be measured because of a fault on our side. Please check again.',
  interrupted: 'The check was interrupted. Please check again.',
}

function Pending({ view, endpoint }: { readonly view: CheckView; readonly endpoint: string }) {
  const { state, failure } = view.check
  const waits = view.ahead === 0 ? 'Next in line.' : `${plural(view.ahead, 'check')} before this one.`
  const asking = 'Asking for the terms as several clients, and reading the receiver on chain.'
  return (
    <div class="stack">
      <VerdictPanel
        verdict="unknown"
        isPage
        subject={<EndpointName url={endpoint} max={300} />}
        label={{ queued: 'Waiting', running: 'Checking', done: 'Checked', failed: 'Not checked' }[state]}
        sentence={failure !== null ? FAILURES[failure] : state === 'queued' ? waits : asking}
        {...(failure === null && { details: <span>This page shows the result by itself.</span> })}
      />
      {failure !== null && <CheckForm url={endpoint} />}
    </div>
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
        Asked for at <Moment at={askedAt} />. {checked < rows.length && rest}
      </p>
      <ul class="feed">
        {rows.map(({ endpoint, isChecked, status, verdict }) => (
          <li>
            <p>
              <a href={focusPath(host, endpoint)}>
                <EndpointName url={endpoint} />
              </a>{' '}
              {isChecked ? status : 'waiting'} {isChecked && <VerdictTag verdict={verdict} />}
            </p>
          </li>
        ))}
      </ul>
      <p class="small">
        One probe seldom changes a verdict: an outage or a changed receiver is confirmed by several.{' '}
        <a href={profilePath(host)}>Profile of the service</a>
      </p>
    </Panel>
  )
}

type ResultProps = { readonly view: CheckView; readonly endpoint: string; readonly result: CheckResult }

function Result({ view: { check, before }, endpoint, result }: ResultProps) {
  const { id, host, askedAt, finishedAt, publication } = check
  const { verdict, score, overruledBy, checks, stack } = result
  const having = (wanted: CheckFinding['outcome']) => checks.filter(({ outcome }) => outcome === wanted)
  const failed = having('fail')
  const isListed = publication === 'listed' || publication === 'published'
  return (
    <div class="stack">
      <VerdictPanel
        verdict={verdict}
        score={failed.length === 0 ? score : null}
        overruledBy={overruledBy}
        isPage
        subject={<EndpointName url={endpoint} max={300} />}
        label={VERDICT_LABELS[verdict]}
        sentence={summarise(verdict, failed)}
        details={
          <>
            <span>
              Checked <Moment at={finishedAt ?? askedAt} />, nothing was paid
            </span>
            <span>This link stays for {KEPT_DAYS} days.</span>
            {isListed && <a href={focusPath(host, endpoint)}>Profile of {cleanText(host, 80)}</a>}
          </>
        }
      />
      <Terms result={result} />
      {before?.result && <BeforeAfter before={before} then={before.result} now={result} />}
      <Panel
        id="fix"
        title={failed.length === 0 ? 'Nothing to fix' : `${plural(failed.length, 'thing')} to fix`}
        extra={<CheckButton subject={{ url: endpoint }} fields={{ previous: id }} label="Check again" />}
      >
        {failed.map((finding) => (
          <Failure finding={finding} stack={stack} />
        ))}
        <Others title="What passed" checks={having('pass')} />
        <Others title="What was not tested" checks={having('unknown')} />
      </Panel>
      <Published check={check} endpoint={endpoint} />
      <Panel id="local" title="On your own machine">
        <Snippet label="Command" code={localCommand(endpoint)} />
      </Panel>
    </div>
  )
}

const SENTENCES: Readonly<Record<VerdictCode, string>> = {
  safe: 'Nothing that was measured speaks against paying this',
  caution: 'Agents ask before they pay this',
  avoid: 'Agents should not pay this',
  unknown: 'There is no verdict yet',
}

function summarise(verdict: VerdictCode, failed: readonly CheckFinding[]): string {
  if (failed.some(({ id }) => id === 'no_challenge'))
    return 'Agents cannot pay this: it does not ask for payment in a form that they read.'
  const isHindered = verdict === 'safe' && failed.some(({ severity }) => severity === 'critical')
  const fixes = failed.length === 0 ? 'nothing to fix' : `${plural(failed.length, 'thing')} to fix`
  return `${SENTENCES[verdict]}${isHindered ? ', but agents may fail to' : ''}: ${fixes}.`
}

/** What the endpoint asks for, and its challenge as it was received. */
function Terms({ result: { terms, sells, challenge } }: { readonly result: CheckResult }) {
  return (
    <Panel id="terms" title="What it asks for">
      {terms.length === 0 && <p>It stated no payment terms that can be read.</p>}
      {terms.map((offer) => (
        <Definitions class="facts" list={describeOffer(offer)} />
      ))}
      {sells !== null && (
        <p>
          It says that it sells: <Seller text={sells} max={300} />
        </p>
      )}
      {challenge !== null && (
        <details>
          <summary>The challenge as it was received ({challenge.method}, status 402)</summary>
          {challenge.header !== null && (
            <Snippet label="Header PAYMENT-REQUIRED, decoded" code={challenge.header} />
          )}
          {challenge.body !== null && <Snippet label="Body" code={challenge.body} />}
          {challenge.isCut && <p class="small muted">The rest is left out.</p>}
        </details>
      )}
    </Panel>
  )
}

function describeOffer(offer: CheckedOffer): Definition[] {
  const { priceUsd, amountAtomic, payTo, network, asset, method, scheme, x402Version } = offer
  const price = priceUsd === null ? 'not known in dollars' : formatUsd(priceUsd)
  return [
    { term: 'Price', text: `${price} (${amountAtomic} units)` },
    { term: 'Receiver', text: <Address value={payTo} network={network} /> },
    { term: 'Network', text: <Seller text={findKnownNetwork(network)?.label ?? network} max={80} /> },
    { term: 'Asset', text: <Address value={asset} network={network} /> },
    { term: 'Method', text: method },
    { term: 'x402', text: `version ${x402Version}, ${cleanText(scheme, 32)}` },
  ]
}

type BeforeAfterProps = {
  readonly before: CheckRecord
  readonly then: CheckResult
  readonly now: CheckResult
}

/** What the earlier check of the same endpoint failed on, and whether it still does. */
function BeforeAfter({ before, then, now }: BeforeAfterProps) {
  const failures = then.checks.filter(({ outcome }) => outcome === 'fail')
  if (failures.length === 0) return null
  const outcomeOf = (id: string) => now.checks.find((one) => one.id === id)?.outcome
  const words = { pass: 'fixed', fail: 'still fails', unknown: 'not tested this time' }
  return (
    <Panel id="before" title="Before and after">
      <p>
        <VerdictTag verdict={then.verdict} /> at <Moment at={before.askedAt} />, now{' '}
        <VerdictTag verdict={now.verdict} />.
      </p>
      <ul>
        {failures.map((finding) => (
          <li>
            <Coded text={titleOf(finding)} />: {words[outcomeOf(finding.id) ?? 'unknown']}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const MARKS = {
  critical: { verdict: 'avoid', name: 'critical' },
  warn: { verdict: 'caution', name: 'warning' },
  info: { verdict: 'unknown', name: 'note' },
} as const

type FailureProps = { readonly finding: CheckFinding; readonly stack: CheckResult['stack'] }

/** A failed check: what was read, what it must be, and a recipe for the stack that was seen. */
function Failure({ finding, stack }: FailureProps) {
  const { id, severity, detail, fix, recipe, change } = finding
  const { verdict, name } = MARKS[severity]
  return (
    <article class={`finding v-${verdict}`} id={`check-${id}`}>
      <h3>
        <VerdictMark verdict={verdict} symbol={severity === 'info' ? 'info' : verdict} />
        <span>
          <Coded text={titleOf(finding)} /> <span class="chip">{name}</span>
        </span>
      </h3>
      {detail !== '' && (
        <p>
          <Coded text={cleanText(detail, 600)} />
        </p>
      )}
      {change !== undefined && (
        <Definitions
          class="facts"
          list={[
            { term: 'Where', text: <code>{cleanText(change.where, 120)}</code> },
            { term: 'Read', text: <Seller text={change.read} max={220} /> },
            { term: 'Must be', text: <code>{cleanText(change.want, 220)}</code> },
          ]}
        />
      )}
      {fix !== undefined && (
        <p class="fix">
          <b>How to fix it:</b> <Coded text={fix} />
        </p>
      )}
      {recipe !== undefined && (
        <details>
          <summary>Recipe for {STACKS[stack]}</summary>
          <Snippet label={`Recipe for ${STACKS[stack]}`} code={recipe} />
        </details>
      )}
    </article>
  )
}

/** Checks that did not fail, folded. */
function Others({ title, checks }: { readonly title: string; readonly checks: readonly CheckFinding[] }) {
  if (checks.length === 0) return null
  const textOf = (finding: CheckFinding) => {
    if (finding.outcome === 'pass') return finding.title || `No sign of: ${titleOf(finding)}`
    return `${titleOf(finding)}: ${finding.detail || 'not tested: it needs an answer that was not given'}`
  }
  return (
    <details>
      <summary>{title}</summary>
      <ul>
        {checks.map((finding) => (
          <li>
            <Coded text={textOf(finding)} />
          </li>
        ))}
      </ul>
    </details>
  )
}

const PUBLICATIONS: Readonly<Record<Exclude<Publication, 'listed'>, string>> = {
  published: 'It is in the index now: its host names it, and this check is its first probe.',
  not_asked: 'Unlisted: nothing of this check was recorded beside this page.',
  no_terms: 'Not published: it gave no valid payment terms.',
  not_named:
    'Not published: neither the documents of its host nor a directory names this path. Name it in /.well-known/x402 or /openapi.json of the host and check again, or claim the host.',
  documents_unread: 'Not published: the documents of its host could not be read, by a fault of ours.',
}

/** Whether the endpoint is in the index, and how it gets there. */
function Published({ check, endpoint }: { readonly check: CheckRecord; readonly endpoint: string }) {
  const { publication, host, id } = check
  if (publication === null || publication === 'listed') return null
  return (
    <Panel id="publish" title="In the index">
      <p>
        {PUBLICATIONS[publication]} Do you run it? <a href={ownerPath(host)}>Claim the host</a>.
      </p>
      {publication !== 'published' && (
        <CheckButton
          subject={{ url: endpoint }}
          fields={{ previous: id, publish: '1' }}
          label="Check again and publish"
        />
      )}
    </Panel>
  )
}

/** Text with its parts between backticks as code. */
function Coded({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}
