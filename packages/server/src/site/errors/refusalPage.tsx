import { STATUS_CODES } from 'node:http'
import type { Refusal } from '../../ports/paywall.ts'
import { Layout, Search } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { formatDuration } from '../format.ts'
import { type ListedOperation, listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cleanText } from '../text.ts'
import { QueryForm } from './queryForm.tsx'

type RefusalPageProps = {
  readonly deps: Pick<PageDeps, 'publicUrl' | 'prices'>
  readonly refusal: Refusal
  /** The request target. */
  readonly target: string
}

/** The page of a refusal: what happened, what to correct, where to go on. */
export function RefusalPage({ deps, refusal, target }: RefusalPageProps) {
  const { status, code, detail, retryAfterSeconds } = refusal
  const [path = '/', search = ''] = target.split(/\?(.*)/s)
  const operation = listOperations(deps).find((one) => one.path === path)
  const heading = headingOf(refusal)
  return (
    <Layout
      title={`${heading} (${status})`}
      description={cleanText(detail, 300)}
      path={operation?.path ?? '/'}
      publicUrl={deps.publicUrl}
      hasOwnSearch
    >
      <p class="code">
        {status} {STATUS_CODES[status]}
      </p>
      <h1>{heading}</h1>
      <p class="lede">{sentence(cleanText(detail, 600))}</p>
      <div class="stack">
        {retryAfterSeconds !== undefined && (
          <Panel id="wait" title="When to try again">
            <p>
              In {formatDuration(1000 * Math.max(1, Math.ceil(retryAfterSeconds)))} the same request works
              again. Programs find the time in the <code>Retry-After</code> header.
            </p>
          </Panel>
        )}
        {operation === undefined ? (
          <Errors errors={refusal.errors} />
        ) : (
          <About operation={operation} search={search} errors={refusal.errors} status={status} />
        )}
        <Panel id="on" title="Go on from here">
          <Search isLarge />
          {code === 'never_seen' && (
            <p class="small">
              Is it yours, and not listed yet? <a href="/">Check an endpoint of it</a>, free of charge.
            </p>
          )}
          <p class="small">
            <a href="/">All services</a> · <a href="/incidents">Incidents</a> · <a href="/docs">API</a>
          </p>
        </Panel>
      </div>
    </Layout>
  )
}

const HEADINGS: Readonly<Record<number, string>> = {
  400: 'This request needs a correction',
  404: 'Nothing is here',
  405: 'This method does not work here',
  409: 'This does not fit the current state',
  410: 'This is gone',
  413: 'The request is too large',
  415: 'This form of request is not understood',
  429: 'Too many requests',
  503: 'Not available right now',
}

const headingOf = ({ status, code }: Refusal): string =>
  code === 'never_seen' ? 'Not known here' : (HEADINGS[status] ?? 'Something went wrong')

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

type AboutProps = {
  readonly operation: ListedOperation
  readonly search: string
  readonly errors: Refusal['errors']
  readonly status: number
}

/** The operation that was called, with its query to correct where that is what is wrong. */
function About({ operation, search, errors = [], status }: AboutProps) {
  const hasForm = status === 400 && Object.keys(operation.query).length > 0
  return (
    <Panel id="about" title={<code>{operation.path}</code>}>
      <p class="lede">
        {operation.summary} <a href={`/docs#${operation.id}`}>Documentation</a>
      </p>
      {hasForm && <QueryForm operation={operation} search={search} errors={errors} />}
    </Panel>
  )
}

/** Messages to programs begin with the name of the field, which the page shows before them. */
const withoutName = (parameter: string, message: string): string =>
  message.startsWith(`${parameter}: `) ? message.slice(parameter.length + 2) : message

/** What is wrong with each field of a request that is no call of an operation. */
function Errors({ errors = [] }: { errors: Refusal['errors'] }) {
  if (errors.length === 0) return null
  return (
    <Panel id="fields" title="What to correct">
      <ul>
        {errors.map(({ parameter, message }) => (
          <li>
            <code>{cleanText(parameter, 80)}</code>:{' '}
            {sentence(cleanText(withoutName(parameter, message), 300))}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
