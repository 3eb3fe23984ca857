import { STATUS_CODES } from 'node:http'
import { decodeChallenge, findNetwork, OPERATIONS } from '@touchstone402/shared'
import type { ErrorPages, UnpaidCall } from '../http/deps.ts'
import { withoutName } from '../http/readFields.ts'
import type { Refusal } from '../ports/paywall.ts'
import { renderPage } from './answerHtml.tsx'
import { Layout, Search } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { Address, Seller, Snippet } from './components/prose.tsx'
import { formatUsd, plural } from './format.ts'
import { readHost } from './hostName.ts'
import { listOperations } from './operations.ts'
import type { PageDeps } from './pageDeps.ts'
import { payCommand } from './reference/guide.tsx'
import { cleanText } from './text.ts'

type Deps = Pick<PageDeps, 'publicUrl' | 'operator' | 'prices'>

/** Creates the pages that browsers get for refusals and unpaid calls. */
export function createErrorPages(deps: Deps): ErrorPages {
  return {
    refusal: (refusal, target) => renderPage(<RefusalPage {...deps} {...refusal} target={target} />),
    payment: (call) => renderPage(<PaymentPage {...deps} {...call} />),
  }
}

/** The page of a refusal: what happened, what to correct, where to go on. @param props.target the request target */
function RefusalPage({ target, status, detail, errors, ...props }: Deps & Refusal & { target: string }) {
  const operation = listOperations(props).find(({ path }) => path === target.split('?')[0])
  const heading = STATUS_CODES[status] ?? 'Error'
  const text = cleanText(detail, 600)
  const wait = props.retryAfterSeconds
  // The page of a host that is not known asks for it.
  const [, host = ''] = /^\/services\/([^/?]+)/.exec(target) ?? []
  return (
    <Layout {...props} title={heading} description={text} path={operation?.path ?? '/'} hasOwnSearch>
      <p class="code">{status}</p>
      <h1>{heading}</h1>
      <p class="lede">
        {text}
        {wait !== undefined &&
          ` In ${plural(Math.max(1, Math.ceil(wait)), 'second')} the same request works again.`}
      </p>
      <Corrections errors={errors} />
      <Search query={readHost(host)} isLarge />
      <p class="small">
        <a href="/">All services</a> · <a href="/feed">Incidents and changes</a> ·{' '}
        <a href={`/docs#${operation?.id ?? 'pay'}`}>API</a>
      </p>
    </Layout>
  )
}

/** Errors by field. Messages for programs begin with the field name, which the page shows separately. */
function Corrections({ errors = [] }: { errors: Refusal['errors'] }) {
  if (errors.length === 0) return null
  return (
    <Panel id="fields" title="What to correct">
      <ul>
        {errors.map(({ parameter, message }) => (
          <li>
            <code>{cleanText(parameter, 80)}</code>: {cleanText(withoutName(parameter, message), 300)}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The page of an unpaid call: what is sold, its price, and how to pay it. */
function PaymentPage({ operation: id, search, refusal, terms, ...deps }: Deps & UnpaidCall) {
  const { path, summary, sampleQuery } = OPERATIONS[id]
  const usd = Number(deps.prices[id])
  const price = formatUsd(usd)
  const given = refusal === null && search !== '' ? search : new URLSearchParams(sampleQuery).toString()
  // A quote would end the argument in a shell.
  const url = `${deps.publicUrl}${path}${given && `?${cleanText(given, 2048).replaceAll("'", '%27')}`}`
  const [offer] = decodeChallenge({ header: terms, body: null }).offers
  return (
    <Layout {...deps} title={`${path}: ${price} per call (402)`} description={summary} path={path}>
      <p class="code">402 Payment Required</p>
      <h1>This answer costs {price}</h1>
      <p class="lede">
        {summary} It is paid call by call through x402, in USDC
        {offer && (
          <>
            {' on '}
            <Seller text={findNetwork(offer.network)?.label ?? offer.network} max={60} /> to{' '}
            <Address value={offer.payTo} />
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
