import type { ComponentChildren } from 'preact'
import { type Webhook, webhookEnd } from '../../../notices/webhook.ts'
import { Field, SignatureField } from '../../components/field.tsx'
import { Layout } from '../../components/layout.tsx'
import { Panel } from '../../components/panel.tsx'
import { EndpointName, Moment, Snippet } from '../../components/prose.tsx'
import { profilePath, REMOVE_WEBHOOK_PATH, WEBHOOKS_PATH } from '../../paths.ts'
import { type OwnerFault, type OwnerTerms, ownerText } from './ownerText.ts'

const TITLE = 'Webhooks'
const DESCRIPTION =
  'Have the incidents and changes of your host sent to a URL of yours, signed and free of charge.'

type Public = { readonly publicUrl: string }

function Frame({ publicUrl, children }: Public & { children: ComponentChildren }) {
  return (
    <Layout title={TITLE} description={DESCRIPTION} path={WEBHOOKS_PATH} publicUrl={publicUrl}>
      <h1>{TITLE}</h1>
      {children}
    </Layout>
  )
}

type AskProps = Public & {
  readonly host?: string | undefined
  readonly url?: string | undefined
  /** What is wrong with the URL. */
  readonly fault?: string | undefined
}

/** Asks for host and URL, and takes removals. */
export function AskPage({ publicUrl, host, url, fault }: AskProps) {
  return (
    <Frame publicUrl={publicUrl}>
      <p class="lede">
        {DESCRIPTION} A receiver of the host signs a text; messages follow{' '}
        <a href="https://www.standardwebhooks.com/" rel="noopener noreferrer">
          Standard Webhooks
        </a>
        .
      </p>
      <Panel id="ask" title="Which host, and where to?">
        <form class="form" action={WEBHOOKS_PATH} method="get">
          <Field name="host" label="Host" hint="Such as api.example.com" value={host} isRequired max={260} />
          <Field
            name="url"
            label="URL that receives messages"
            hint="https on a public address"
            value={url}
            fault={fault}
            isRequired
          />
          <button type="submit">Show the text to sign</button>
        </form>
      </Panel>
      <Panel id="remove" title="Remove a webhook">
        <form class="form" action={REMOVE_WEBHOOK_PATH} method="post">
          <Field name="id" label="Id" hint="As it was shown at the creation" isRequired max={80} />
          <Field name="secret" label="Secret" hint="Starts with whsec_" isRequired max={80} />
          <button type="submit">Remove</button>
        </form>
        <p>If you lost the secret, create the webhook again: the new one replaces it.</p>
      </Panel>
    </Frame>
  )
}

type SignProps = Public & {
  readonly terms: OwnerTerms
  /** Who may sign. */
  readonly receivers: readonly string[]
  readonly given?: { readonly address: string; readonly signature: string }
  readonly fault?: OwnerFault
}

const SHOWN_RECEIVERS = 10

/** Shows the text to sign, and takes its signature. */
export function SignPage({ publicUrl, terms, receivers, given, fault }: SignProps) {
  const faultOf = (name: string) => (fault?.parameter === name ? fault.message : undefined)
  const [first] = receivers
  return (
    <Frame publicUrl={publicUrl}>
      <p class="lede">
        For <a href={profilePath(terms.host)}>{terms.host}</a>, to <EndpointName url={terms.url} />.
      </p>
      <Panel id="sign" title="Text to sign">
        <p>
          Sign exactly this text (<code>personal_sign</code>) with a receiver that the host offers now. It is
          valid for one hour and can be used once.
        </p>
        <Snippet label="Text to sign" code={ownerText(terms)} />
        {faultOf('date') !== undefined && <p class="fault">{faultOf('date')}</p>}
        <form class="form" action={WEBHOOKS_PATH} method="post">
          <input type="hidden" name="host" value={terms.host} />
          <input type="hidden" name="url" value={terms.url} />
          <input type="hidden" name="date" value={terms.date} />
          <Field
            name="address"
            label="Receiver that signed"
            hint={`One of ${receivers.slice(0, SHOWN_RECEIVERS).join(', ')}${receivers.length > SHOWN_RECEIVERS ? ' and others' : ''}`}
            value={given?.address ?? (receivers.length === 1 ? first : undefined)}
            fault={faultOf('address')}
            isRequired
            max={42}
          />
          <SignatureField value={given?.signature} fault={faultOf('signature')} />
          <button type="submit">Create the webhook</button>
        </form>
      </Panel>
    </Frame>
  )
}

/** Shows a new webhook with its secret, once. */
export function CreatedPage({ publicUrl, webhook }: Public & { webhook: Webhook }) {
  const { id, host, url, secret } = webhook
  return (
    <Frame publicUrl={publicUrl}>
      <p class="lede">
        <b>Created</b> for <a href={profilePath(host)}>{host}</a>, to <EndpointName url={url} />. It ends on{' '}
        <Moment at={webhookEnd(webhook)} />.
      </p>
      <Panel id="secret" title="Id and secret">
        <p>The secret is shown this once. It verifies messages, and removes the webhook.</p>
        <Snippet label="Id" code={id} />
        <Snippet label="Secret" code={secret} />
      </Panel>
      <Panel id="challenge" title="Next: answer the challenge">
        <p>
          Your URL now gets a signed message of type <code>webhook.challenge</code>. Answer it with a status
          of 2xx and its <code>challenge</code> in the body. It is repeated five times within 24 hours;
          without an answer the webhook is removed. Events follow after that.
        </p>
      </Panel>
    </Frame>
  )
}

/** Confirms a removal. */
export function RemovedPage({ publicUrl }: Public) {
  return (
    <Frame publicUrl={publicUrl}>
      <p class="lede">
        <b>Removed.</b> Nothing more is sent. <a href={WEBHOOKS_PATH}>Create another</a>.
      </p>
    </Frame>
  )
}
