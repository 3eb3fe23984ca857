import { STATUS_CODES } from 'node:http'
import { asObject, decodeBase64Json, findNetwork, OPERATIONS } from '@touchstone402/shared'
import type { ErrorPages, UnpaidCall } from '../http/deps.ts'
import type { Refusal } from '../ports/paywall.ts'
import { renderPage } from './answerHtml.tsx'
import { Layout, Search } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { Address, Seller, Snippet } from './components/prose.tsx'
import { payCommand } from './docs.tsx'
import { formatDuration, formatUsd } from './format.ts'
import { listOperations } from './operations.ts'
import type { PageDeps } from './pageDeps.ts'
import { cleanText } from './text.ts'

type Deps = Pick<PageDeps, 'publicUrl' | 'operator' | 'prices'>

/** Creates the pages that browsers get for refusals and unpaid calls. */
export function createErrorPages(deps: Deps): ErrorPages {
  return {
    refusal: (refusal, target) => renderPage(<RefusalPage deps={deps} refusal={refusal} target={target} />),
    payment: (call) => renderPage(<PaymentPage deps={deps} call={call} />),
  }
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

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** The page of a refusal: what happened, what to correct, where to go on. @param target the request target */
function RefusalPage({ deps, refusal, target }: { deps: Deps; refusal: Refusal; target: string }) {
  const { status, code, detail, retryAfterSeconds: wait, errors } = refusal
  const operation = listOperations(deps).find(({ path }) => path === target.split('?')[0])
  const heading = code === 'never_seen' ? 'Not known here' : (HEADINGS[status] ?? 'Something went wrong')
  return (
    <Layout
      title={`${heading} (${status})`}
      description={cleanText(detail, 300)}
      path={operation?.path ?? '/'}
      publicUrl={deps.publicUrl}
      operator={deps.operator}
      hasOwnSearch
    >
      <p class="code">
        {status} {STATUS_CODES[status]}
      </p>
      <h1>{heading}</h1>
      <p class="lede">
        {sentence(cleanText(detail, 600))}
        {wait !== undefined &&
          ` In ${formatDuration(1000 * Math.max(1, Math.ceil(wait)))} the same request works again.`}
      </p>
      <div class="stack">
        <Corrections errors={errors} />
        <Panel id="on" title="Go on from here">
          <Search isLarge />
          <p class="small">
            <a href="/">All services</a> · <a href="/feed">Incidents and changes</a> ·{' '}
            <a href={operation === undefined ? '/docs' : `/docs#${operation.id}`}>API</a>
          </p>
        </Panel>
      </div>
    </Layout>
  )
}

/** What is wrong with each field. Messages to programs begin with its name, which the page shows before them. */
function Corrections({ errors = [] }: { errors: Refusal['errors'] }) {
  if (errors.length === 0) return null
  return (
    <Panel id="fields" title="What to correct">
      <ul>
        {errors.map(({ parameter, message }) => (
          <li>
            <code>{cleanText(parameter, 80)}</code>:{' '}
            {sentence(cleanText(message.replace(`${parameter}: `, ''), 300))}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The page of an unpaid call: what is sold, its price, and how to pay it. */
function PaymentPage({ deps: { publicUrl, operator, prices }, call }: { deps: Deps; call: UnpaidCall }) {
  const { operation: id, search, refusal, terms } = call
  const { path, summary, priceUsd, sampleQuery } = OPERATIONS[id]
  const usd = Number(prices?.[id] ?? priceUsd)
  const isAsked = refusal === null && search !== ''
  const given = isAsked ? search : new URLSearchParams(sampleQuery).toString()
  // A quote would end the argument in a shell.
  const url = `${publicUrl}${path}${given && `?${cleanText(given, 2048).replaceAll("'", '%27')}`}`
  const { accepts } = decodeBase64Json(terms) ?? {}
  const { network, payTo } = (Array.isArray(accepts) ? asObject(accepts[0]) : undefined) ?? {}
  return (
    <Layout
      title={`${path}: ${formatUsd(usd)} per call (402)`}
      description={`${summary} ${formatUsd(usd)} per call, paid through x402.`}
      path={path}
      publicUrl={publicUrl}
      operator={operator}
    >
      <p class="code">402 Payment Required</p>
      <h1>This answer costs {formatUsd(usd)}</h1>
      <p class="lede">
        {summary} It is paid call by call through x402, in USDC
        {typeof network === 'string' && (
          <>
            {' on '}
            <Seller text={findNetwork(network)?.label ?? network} max={60} />
          </>
        )}
        {typeof payTo === 'string' && (
          <>
            {' to '}
            <Address value={payTo} />
          </>
        )}
        . A browser cannot pay; here is what can. <a href={`/docs#${id}`}>Guide</a>
      </p>
      <div class="stack">
        <Corrections errors={refusal?.errors} />
        <Panel id="pay" title="How to pay">
          <p>The guard checks receiver, price and network, and then pays from a wallet that holds USDC:</p>
          <Snippet label="Paid by the guard" code={payCommand(url, usd)} />
          <p>
            Curl shows the terms, in the header <code>PAYMENT-REQUIRED</code>. The{' '}
            <a href="/docs#pay">guard's proxy</a> pays them for curl:
          </p>
          <Snippet label="Terms with curl" code={`curl -si '${url}'`} />
        </Panel>
      </div>
    </Layout>
  )
}
