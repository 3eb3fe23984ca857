import {
  ADDRESS_PATTERN,
  decodeChallenge,
  findNetwork,
  OPERATIONS,
  type PaidOperationId,
} from '@touchstone402/shared'
import type { Config } from '../../config/config.ts'
import type { UnpaidCall } from '../../http/deps.ts'
import { tokenUrl } from '../../tokens/describeToken.ts'
import { Corrections } from '../components/corrections.tsx'
import { Layout } from '../components/layout.tsx'
import { Packing } from '../components/packing.tsx'
import { Panel } from '../components/panel.tsx'
import { Address, Seller, Snippet } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import { referencePath, TOKENS_PATH, withQuery } from '../paths.ts'
import { clientCommand, PROXY_START, payCommand, proxyCommand } from '../reference/guide.tsx'
import { cleanText } from '../text.ts'
import { sampleAnswer } from './answerSample.ts'

/** A path that is free of charge, and what it holds. */
type FreePart = readonly [path: string, holds: string]

/** A verdict takes the URL of an endpoint. */
const VERIFY = withQuery(OPERATIONS.verify.path, { endpoint: 'https://api.example.com/weather' })

/** Free operations to try beside each paid one. Those of token operations depend on the token. */
const FREE: { readonly [Id in PaidOperationId]?: readonly FreePart[] } = {
  trust: [
    [VERIFY, 'the cached verdict of an endpoint'],
    [OPERATIONS.status.path, 'the risk map, and the best of the working services'],
  ],
  trustHistory: [[VERIFY, 'the cached verdict of an endpoint']],
  trustDataset: [[OPERATIONS.status.path, 'a preview of the dataset']],
  dataFull: [
    [OPERATIONS.dataSample.path, 'one whole record of each kind'],
    [OPERATIONS.data.path, 'its schema and coverage'],
  ],
}

type PaymentProps = UnpaidCall & { readonly config: Pick<Config, 'publicUrl' | 'operator' | 'prices'> }

/** The page of an unpaid call: its price, three ways to pay it, and a sample of the answer. */
export function PaymentPage({ operation: id, search, refusal, terms, config }: PaymentProps) {
  const { path, summary, sampleQuery } = OPERATIONS[id]
  const usd = Number(config.prices[id])
  const price = formatUsd(usd)
  const given = refusal === null && search !== '' ? search : new URLSearchParams(sampleQuery).toString()
  // A quote or a backslash would end the argument in a shell, or the text in a program.
  const query = cleanText(given, 2048).replaceAll("'", '%27').replaceAll('\\', '%5C')
  const url = `${config.publicUrl}${path}${query && `?${query}`}`
  const [offer] = decodeChallenge({ header: terms, body: null }).offers
  return (
    <Layout config={config} title={`${path}: ${price} per call (402)`} description={summary} path={path}>
      <p class="code">402 Payment Required</p>
      <h1>This answer costs {price}</h1>
      <p class="lede">
        {summary} You pay per call through x402, in USDC
        {offer && (
          <>
            {' on '}
            <Seller text={findNetwork(offer.network)?.label ?? offer.network} max={60} /> to{' '}
            <Address value={offer.payTo} />
          </>
        )}
        , and for a 200 response only. A browser cannot pay; one of these commands can.
      </p>
      <div class="stack">
        <Corrections errors={refusal?.errors} />
        <Panel id="pay" title="How to pay" extra={<a href="/docs#pay">Guide</a>}>
          <p>
            <b>With the guard</b>, which checks receiver, price and network first. <Packing />{' '}
            <code>key</code> is a file with the private key of a wallet that holds USDC:
          </p>
          <Snippet label="Paid by the guard" code={payCommand(url, usd)} />
          <p>
            <b>Through the guard's proxy</b>, from any program. Start it, and read <code>TOKEN</code> from the
            file that it prints:
          </p>
          <Snippet label="Start of the proxy" code={PROXY_START} />
          <Snippet label="Paid through the proxy" code={proxyCommand(url)} />
          <p>
            <b>With any x402 client</b>. It signs whatever the 402 asks for. This one needs{' '}
            <code>npm install @x402/fetch @x402/evm viem</code>:
          </p>
          <Snippet label="Paid by an x402 client" code={clientCommand(url)} />
        </Panel>
        <Panel id="sample" title="A sample, free" extra={<a href={referencePath(id)}>The whole example</a>}>
          <Snippet label="Part of an answer" code={sampleAnswer(id)} />
          <FreeParts parts={FREE[id] ?? listTokenParts(new URLSearchParams(given).get('token') ?? '')} />
        </Panel>
      </div>
    </Layout>
  )
}

function listTokenParts(token: string): FreePart[] {
  if (!ADDRESS_PATTERN.test(token)) return []
  return [
    [tokenUrl('', token), 'the last finished UTC day of this token, if its days are read'],
    [TOKENS_PATH, 'the tokens whose days are read'],
  ]
}

function FreeParts({ parts }: { readonly parts: readonly FreePart[] }) {
  if (parts.length === 0) return null
  return (
    <>
      <p>Free, from live data:</p>
      <ul>
        {parts.map(([path, holds]) => (
          <li>
            <a href={path}>
              <code>{path}</code>
            </a>
            : {holds}
          </li>
        ))}
      </ul>
    </>
  )
}
