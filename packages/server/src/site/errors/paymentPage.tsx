import { asObject, decodeBase64Json, findNetwork, OPERATIONS } from '@touchstone402/shared'
import type { UnpaidCall } from '../../http/deps.ts'
import { Layout } from '../components/layout.tsx'
import { Definitions, Panel } from '../components/panel.tsx'
import { Address, Seller, Snippet } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cleanText } from '../text.ts'
import { QueryForm } from './queryForm.tsx'

type PaymentPageProps = { readonly deps: Pick<PageDeps, 'publicUrl' | 'prices'>; readonly call: UnpaidCall }

/** The page of an unpaid call: what is sold, its price, and how to pay it. */
export function PaymentPage({ deps: { publicUrl, prices }, call }: PaymentPageProps) {
  const { operation: id, search, refusal } = call
  const { path, summary, query, priceUsd, sampleQuery } = OPERATIONS[id]
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
    >
      <p class="code">402 Payment Required</p>
      <h1>This answer costs {price}</h1>
      <p class="lede">
        {summary} Programs pay for it call by call through x402: no account, no subscription. A browser cannot
        pay by itself; here is what can.
      </p>
      <div class="stack">
        <Panel id="terms" title="What is sold">
          <TermList price={price} terms={call.terms} path={path} />
          <p class="small">
            A call with an error in its query is refused free of charge.{' '}
            <a href={`/docs#${id}`}>Documentation and schema of the answer</a>
          </p>
        </Panel>
        <Panel id="pay" title="How to pay">
          <Ways url={url} price={price} />
        </Panel>
        {Object.keys(query).length > 0 && (
          <Panel id="query" title={refusal === null ? 'The query' : 'The query needs a correction first'}>
            <QueryForm operation={OPERATIONS[id]} search={search} errors={refusal?.errors ?? []} />
          </Panel>
        )}
      </div>
    </Layout>
  )
}

type TermListProps = { readonly price: string; readonly terms: string; readonly path: string }

function TermList({ price, terms, path }: TermListProps) {
  const { accepts } = decodeBase64Json(terms) ?? {}
  const offer = Array.isArray(accepts) ? asObject(accepts[0]) : undefined
  const network = textOf(offer?.network)
  return (
    <Definitions
      class="ways"
      list={[
        { term: 'Call', text: <code>GET {path}</code> },
        { term: 'Price per call', text: `${price} in USDC` },
        ...(network === undefined
          ? []
          : [{ term: 'Network', text: <Seller text={findNetwork(network)?.label ?? network} max={60} /> }]),
        ...addressOf('Token contract', offer?.asset),
        ...addressOf('Paid to', offer?.payTo),
      ]}
    />
  )
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const addressOf = (term: string, value: unknown) =>
  typeof value === 'string' ? [{ term, text: <Address value={value} /> }] : []

function Ways({ url, price }: { url: string; price: string }) {
  // A quote would end the argument in a shell.
  const argument = `'${url.replaceAll("'", '%27')}'`
  const maximum = price.replace('$', '')
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
          code={`PRIVATE_KEY_FILE=~/.agent-key npx @touchstone402/guard pay ${argument} --max-usd ${maximum}`}
        />
        <Snippet label="Guard in TypeScript" code={guard} />
      </section>
      <section>
        <h3>With curl</h3>
        <p>
          The terms come with this answer, in base64 in the <code>PAYMENT-REQUIRED</code> header. Sign the
          EIP-3009 authorization that they describe with any x402 library, and send it along.
        </p>
        <Snippet label="Terms with curl" code={`curl -si ${argument}`} />
        <Snippet
          label="Paid call with curl"
          code={`curl -s ${argument} -H "PAYMENT-SIGNATURE: $SIGNED_PAYMENT"`}
        />
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
