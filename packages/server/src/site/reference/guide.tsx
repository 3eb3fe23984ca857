import { INTERFACE_VERSION, OPERATIONS } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { describeValue } from '../../http/openapi.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import { type ListedOperation, listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { withQuery } from '../paths.ts'

/** Creates `/docs`: the guide to the interface. */
export function createDocsPage(deps: PageDeps): Page {
  const answer = answerHtml(<Docs {...deps} />)
  return { path: '/docs', handler: () => answer }
}

function Docs(deps: PageDeps) {
  const { publicUrl } = deps.config
  const url = callUrl(OPERATIONS.whales, publicUrl)
  return (
    <Layout
      {...deps}
      title={`API: interface ${INTERFACE_VERSION}`}
      description="How to ask whether an x402 endpoint is safe to pay, and how to buy the rest."
      path="/docs"
    >
      <h1>API</h1>
      <p class="lede">
        Interface {INTERFACE_VERSION}. Free operations need no key and no account; paid ones cost the price
        beside them, through x402. Every field and form is in the <a href="/docs/reference">reference</a> and
        in the <a href="/openapi.json">OpenAPI document</a>.
      </p>
      <div class="stack">
        <Panel id="pay" title="How to pay">
          <p>
            There are no accounts and no keys of ours. An unpaid call of a paid operation answers 402 with its
            terms: x402 v2 in the header <code>PAYMENT-REQUIRED</code>, v1 in the body. A payer signs them
            with a wallet that holds USDC and repeats the call. You are charged for a 200 only; the same paid
            call, repeated within 24 hours, gets the same answer and costs nothing more.
          </p>
          <Snippet label="Terms by curl" code={`curl -i '${url}'`} />
          <p>
            The guard's command pays the same URL, within limits. <code>key</code> is a file of mode 600 with
            the private key of a wallet that holds USDC:
          </p>
          <Snippet label="Paid by the command" code={payCommand(url, 0.01)} />
          <p>
            Or start the guard's proxy, which pays for curl and for every other program. It prints the file of
            the token:
          </p>
          <Snippet label="Start of the proxy" code={PROXY_START} />
          <Snippet label="Paid through the proxy" code={proxyCommand(url)} />
          <p>Every TypeScript sample below goes on from here; free operations need no pay:</p>
          <Snippet label="Setting up the client" code={clientSetup(publicUrl)} />
        </Panel>
        <Panel id="operations" title="Operations, paid ones in USDC on Base">
          {listOperations(deps).map((operation) => (
            <article class="operation" id={operation.id}>
              <h3>
                <span class="method">GET</span>
                <code>{operation.path}</code>
                <span class="chip">
                  {operation.priceUsd === null ? 'free' : formatUsd(operation.priceUsd)}
                </span>
              </h3>
              <p>{operation.summary}</p>
              <div class="calls">
                <Snippet label={`Call of ${operation.path} by curl`} code={curlCall(operation, publicUrl)} />
                <Snippet label={`Call of ${operation.path} in TypeScript`} code={clientCall(operation)} />
              </div>
            </article>
          ))}
        </Panel>
        <Panel id="forms" title="Forms, pages and errors">
          <p>A POST takes a form or a flat JSON object of strings, free of charge. Programs get JSON.</p>
          <p>
            A page is HTML. Its JSON is at the same path with <code>.json</code>, such as{' '}
            <code>/services/api.example.com.json</code> and <code>/index.json</code>, or by{' '}
            <code>Accept: application/json</code>.
          </p>
          <p>
            Every error except 402 is a problem document (RFC 9457) with a <code>code</code>, and costs
            nothing. After 409, 429 and 503, send the same call again, payment included, once{' '}
            <code>Retry-After</code> has passed.
          </p>
        </Panel>
      </div>
    </Layout>
  )
}

/** The command that runs the guard with all that a payment needs. `key` is a file with a private key. */
const GUARD =
  'PRIVATE_KEY_FILE=key npx -p @touchstone402/guard -p @x402/fetch -p @x402/evm -p viem touchstone'

/** Returns the command that pays one call. */
export const payCommand = (url: string, usd: number) => `${GUARD} pay '${url}' --max-usd ${usd}`

/** The command that starts the guard's proxy with a budget. */
export const PROXY_START = `${GUARD} proxy --task research=2.00`

/** Returns the command that pays one call through the guard's proxy. */
export const proxyCommand = (url: string) =>
  `curl -H "Touchstone-Token: $TOKEN" 'http://127.0.0.1:4402/${url}'`

/** Returns the command that pays one call with the stock client of x402. @param url without quotes and backslashes */
export const clientCommand = (url: string) =>
  `PRIVATE_KEY=$(cat key) node --input-type=module <<'END'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const signer = privateKeyToAccount(process.env.PRIVATE_KEY)
const pay = wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer }))
const response = await pay('${url}')
console.log(await response.text())
END`

/** Returns the lines that create the client of all samples. */
export const clientSetup = (publicUrl: string) =>
  `import { createTouchstoneClient } from '@touchstone402/guard/client'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const url = '${publicUrl}'
const account = privateKeyToAccount(process.env.PRIVATE_KEY as \`0x\${string}\`)
const pay = createGuardedFetch({ account, service: { url } })
const touchstone = createTouchstoneClient({ url, pay })`

/** An operation with what a sample call needs. */
type Called = Pick<ListedOperation, 'path' | 'query'> & {
  readonly sampleQuery?: Readonly<Record<string, string>>
}
type Sampled = Called & Pick<ListedOperation, 'id' | 'priceUsd'>

const callUrl = (operation: Called, publicUrl: string) =>
  withQuery(publicUrl + operation.path, Object.fromEntries(sampleQuery(operation)))

/** Returns the call of an operation by curl. An unpaid call of a paid one shows the terms, in the headers. */
export function curlCall(operation: Sampled, publicUrl: string): string {
  return `curl${operation.priceUsd === null ? '' : ' -i'} '${callUrl(operation, publicUrl)}'`
}

/** Returns the call of an operation by the typed client of the guard. */
export function clientCall(operation: Sampled): string {
  const fields = sampleQuery(operation).map(([name, value]) => {
    const isNumber = operation.query[name]?.kind === 'integer'
    return `${name}: ${isNumber ? value : `'${value}'`}`
  })
  const query = fields.length === 0 ? '' : `{ ${fields.join(', ')} }`
  return `const answer = await touchstone.${operation.id}(${query})`
}

/** Returns the required parameters, and those that the contract samples. */
function sampleQuery({ query, sampleQuery = {} }: Called): [string, string][] {
  return Object.entries(query).flatMap(([name, parameter]): [string, string][] => {
    const sampled = sampleQuery[name]
    if (sampled !== undefined) return [[name, sampled]]
    return parameter.required ? [[name, String(describeValue(parameter).example)]] : []
  })
}
