import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatUsd } from '../format.ts'
import type { ListedOperation } from '../operations.ts'

/** The line that creates the client of all samples. */
export const CLIENT_SETUP = (publicUrl: string) =>
  `import { createTouchstoneClient } from '@touchstone402/guard/client'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const url = '${publicUrl}'
const account = privateKeyToAccount(process.env.PRIVATE_KEY as \`0x\${string}\`)
const pay = createGuardedFetch({ account, service: { url } })
const touchstone = createTouchstoneClient({ url, pay })`

/** Links to every part of the page. */
export function Contents({ operations }: { operations: readonly ListedOperation[] }) {
  const links = (isPaid: boolean) =>
    operations
      .filter(({ priceUsd }) => (priceUsd !== null) === isPaid)
      .map(({ id, path, priceUsd }) => (
        <li>
          <a class="chip mono" href={`#${id}`}>
            {path}
            {priceUsd !== null && ` ${formatUsd(priceUsd)}`}
          </a>
        </li>
      ))
  return (
    <Panel id="contents" title="Contents">
      <p class="small">
        <a href="#pay">How to pay</a> · <a href="#free">Free operations</a> ·{' '}
        <a href="#paid">Paid operations</a> · <a href="#errors">Errors</a> ·{' '}
        <a href="#other">Pages and feeds</a> · <a href="#forms">Forms</a> · <a href="#schemas">Schemas</a>
      </p>
      <ul class="chips">
        {links(false)}
        {links(true)}
      </ul>
    </Panel>
  )
}

/** What a 402 asks for, and how to answer it. */
export function HowToPay({ publicUrl }: { publicUrl: string }) {
  return (
    <Panel id="pay" title="How to pay">
      <p>
        There are no accounts and no keys of ours. A paid operation answers 402 with its terms: x402 v2 in the
        header <code>PAYMENT-REQUIRED</code>, v1 in the body. Sign them with a wallet that holds USDC, and
        repeat the call with the signature in <code>PAYMENT-SIGNATURE</code> (v2) or <code>X-PAYMENT</code>{' '}
        (v1). The wallet needs no ether. You are charged for a 200 only; the same paid call, repeated within
        24 hours, gets the same answer and costs nothing more.
      </p>
      <p>
        The guard does all of this, and pays within limits that you set. Every TypeScript sample below goes on
        from here; the free operations need no <code>pay</code>:
      </p>
      <Snippet label="Setting up the client" code={CLIENT_SETUP(publicUrl)} />
      <p>
        Any x402 client works as well, such as <code>wrapFetchWithPayment</code> of <code>@x402/fetch</code>.
        With curl an unpaid call shows the terms.
      </p>
    </Panel>
  )
}

type Fault = { readonly status: number; readonly means: string; readonly remedy: string }

const FAULTS: readonly Fault[] = [
  { status: 400, means: 'The query breaks a rule.', remedy: 'Read errors, which names each parameter.' },
  {
    status: 402,
    means: 'Payment is required, or the payment was not accepted.',
    remedy: 'Pay as above; error says what was wrong with a payment.',
  },
  {
    status: 404,
    means: 'There is no such thing, or the endpoint was never measured.',
    remedy: 'Buy a live check of it at /trust.',
  },
  { status: 405, means: 'The method is not served here.', remedy: 'Use one of the header Allow.' },
  { status: 409, means: 'The same payment is being worked on.', remedy: 'Send it again after Retry-After.' },
  { status: 410, means: 'The answer was paid for and is no longer kept.', remedy: 'Buy it again.' },
  { status: 413, means: 'The request has a body, or too large a form.', remedy: 'Send none, or less.' },
  {
    status: 415,
    means: 'The body is neither a form nor JSON.',
    remedy: 'Send application/x-www-form-urlencoded or application/json.',
  },
  {
    status: 429,
    means: 'Too many calls.',
    remedy: 'Wait for Retry-After; RateLimit-Policy names the limit.',
  },
  {
    status: 503,
    means: 'A part of the service is down.',
    remedy: 'Send the same call again, payment included, after Retry-After.',
  },
]

/** The problem documents. */
export function Errors() {
  const columns: Column<Fault>[] = [
    { name: 'Status', cell: ({ status }) => <code>{status}</code> },
    { name: 'Means', share: 'whole', cell: ({ means }) => means },
    { name: 'What to do', share: 'whole', cell: ({ remedy }) => remedy },
  ]
  return (
    <Panel id="errors" title="Errors">
      <p>
        Every error except 402 is a <a href="/docs/schemas/Problem">problem document</a> (RFC 9457) with a{' '}
        <code>code</code> for programs. Nothing is charged for any of them.
      </p>
      <Table isCards scroll="Table of errors" rows={FAULTS} columns={columns} />
    </Panel>
  )
}
