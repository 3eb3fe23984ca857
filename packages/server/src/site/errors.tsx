import { STATUS_CODES } from 'node:http'
import { asObject, decodeBase64Json, findNetwork, OPERATIONS } from '@touchstone402/shared'
import type { ErrorPages, UnpaidCall } from '../http/deps.ts'
import type { Refusal } from '../ports/paywall.ts'
import { renderPage } from './answerHtml.tsx'
import { Layout, Search } from './components/layout.tsx'
import { Definitions, Panel } from './components/panel.tsx'
import { Address, Seller, Snippet } from './components/prose.tsx'
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

type RefusalProps = {
  readonly deps: Deps
  readonly refusal: Refusal
  /** The request target. */
  readonly target: string
}

/** The page of a refusal: what happened, what to correct, where to go on. */
function RefusalPage({ deps, refusal, target }: RefusalProps) {
  const { status, code, detail, retryAfterSeconds, errors } = refusal
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
        <Corrections errors={errors} />
        {operation !== undefined && (
          <Panel id="about" title={<code>{operation.path}</code>}>
            <p>
              {operation.summary} <a href={`/docs#${operation.id}`}>Documentation</a>
            </p>
          </Panel>
        )}
        <Panel id="on" title="Go on from here">
          <Search isLarge />
          <p class="small">
            <a href="/">All services</a> · <a href="/feed">Incidents and changes</a> · <a href="/docs">API</a>
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
  const price = formatUsd(Number(prices?.[id] ?? priceUsd))
  const isAsked = refusal === null && search !== ''
  const given = isAsked ? search : new URLSearchParams(sampleQuery).toString()
  const url = `${publicUrl}${path}${given === '' ? '' : `?${cleanText(given, 2048)}`}`
  return (
    <Layout
      title={`${path}: ${price} per call (402)`}
      description={`${summary} ${price} per call, paid through x402.`}
      path={path}
      publicUrl={publicUrl}
      operator={operator}
    >
      <p class="code">402 Payment Required</p>
      <h1>This answer costs {price}</h1>
      <p class="lede">
        {summary} Programs pay for it call by call through x402: no account, no subscription. A browser cannot
        pay by itself; here is what can.
      </p>
      <div class="stack">
        <Corrections errors={refusal?.errors} />
        <Panel id="terms" title="What is sold">
          <Definitions class="ways" list={describeTerms(path, price, terms)} />
          <p class="small">
            A call with an error in its query is refused free of charge. <a href={`/docs#${id}`}>Guide</a> and{' '}
            <a href="/docs/reference">schema of the answer</a>
          </p>
        </Panel>
        <Panel id="pay" title="How to pay">
          <Ways url={url} price={price} />
        </Panel>
      </div>
    </Layout>
  )
}

function describeTerms(path: string, price: string, terms: string) {
  const { accepts } = decodeBase64Json(terms) ?? {}
  const { network, asset, payTo } = (Array.isArray(accepts) ? asObject(accepts[0]) : undefined) ?? {}
  const addressOf = (term: string, value: unknown) =>
    typeof value === 'string' ? [{ term, text: <Address value={value} /> }] : []
  return [
    { term: 'Call', text: <code>GET {path}</code> },
    { term: 'Price per call', text: `${price} in USDC` },
    ...(typeof network === 'string'
      ? [{ term: 'Network', text: <Seller text={findNetwork(network)?.label ?? network} max={60} /> }]
      : []),
    ...addressOf('Token contract', asset),
    ...addressOf('Paid to', payTo),
  ]
}

function Ways({ url, price }: { url: string; price: string }) {
  // A quote would end the argument in a shell.
  const argument = `'${url.replaceAll("'", '%27')}'`
  const guard = `import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(process.env.PRIVATE_KEY)
const pay = createGuardedFetch({ account })
const answer = await pay(${JSON.stringify(url)})
console.log(await answer.json())`
  return (
    <div class="steps">
      <section>
        <h3>With the guard</h3>
        <p>It checks receiver, price and network before it signs, and keeps to a budget.</p>
        <Snippet
          label="Command of the guard"
          code={`PRIVATE_KEY_FILE=~/.agent-key npx @touchstone402/guard pay ${argument} --max-usd ${price.replace('$', '')}`}
        />
        <Snippet label="Guard in TypeScript" code={guard} />
      </section>
      <section>
        <h3>With curl</h3>
        <p>
          The terms come with this answer, in base64 in the <code>PAYMENT-REQUIRED</code> header. The{' '}
          <a href="/docs#pay">guide</a> shows the guard's proxy, which pays them for curl.
        </p>
        <Snippet label="Terms with curl" code={`curl -si ${argument}`} />
      </section>
      <section>
        <h3>With a wallet</h3>
        <p>
          Give this address to an agent or a wallet that speaks x402, with USDC on the network above. It needs
          no other token: the transfer is settled for you.
        </p>
        <Snippet label="Address to pay" code={url} />
      </section>
    </div>
  )
}
