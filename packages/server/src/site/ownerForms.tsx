import type { ComponentChildren, VNode } from 'preact'
import type { Time } from '../domain/facts/facts.ts'
import { ROBOTS_NAME } from '../domain/facts/optOut.ts'
import { DAY } from '../domain/facts/times.ts'
import { announcementText, type ReceiverChange } from '../owners/announcement.ts'
import { MAX_DISPUTE_CHARACTERS } from '../owners/createDisputes.ts'
import { claimName, type FieldFault, type HostClaim } from '../owners/hostClaim.ts'
import { Field, type FieldProps } from './components/field.tsx'
import { Choices, Panel } from './components/panel.tsx'
import { Address, Day, Moment, Snippet } from './components/prose.tsx'
import { hostFeedPath, ownerPath, SCANS_PATH } from './paths.ts'
import { shortenAddress } from './text.ts'

/** What the owner page of a host shows. */
export type OwnerView = {
  readonly host: string
  readonly publicUrl: string
  readonly now: Time
  readonly claims: readonly HostClaim[]
  /** Secret of this visitor, and the token that is its hash. */
  readonly secret: string
  readonly token: string
  readonly fileUrl: string
  readonly changes: readonly ReceiverChange[]
  /** The change that the announcement is about. */
  readonly change: ReceiverChange | undefined
  /** Whether the dispute is about the incident that the fields name. */
  readonly isOfIncident: boolean
  /** Path of the form that was sent. @default none */
  readonly part?: string
  /** Its fields, or those of the query. */
  readonly given: ReadonlyMap<string, string>
  readonly fault?: FieldFault | undefined
  /** What the form has done. */
  readonly note?: VNode
}

type Props = { readonly view: OwnerView }

/** The sections of the owner page, in the order in which an owner needs them. */
export function OwnerForms({ view }: Props) {
  return (
    <div class="stack">
      <ClaimPart view={view} />
      <CheckPart view={view} />
      <AnnouncePart view={view} />
      <DisputePart view={view} />
      <AlertPart view={view} />
      <BadgePart view={view} />
    </div>
  )
}

/** A section, with what its form has done. */
function Part({
  view,
  id,
  title,
  children,
}: Props & { id: string; title: string; children: ComponentChildren }) {
  return (
    <Panel id={id} title={title}>
      {view.note !== undefined && view.part?.split('/')[0] === id && (
        <div class="notice" role="status">
          {view.note}
        </div>
      )}
      {children}
    </Panel>
  )
}

type FormProps = Props & {
  /** Path of the form below that of the page. */
  readonly part: string
  readonly fields?: readonly FieldProps[]
  readonly endpoint?: string
  /** Text of the buttons, by value of `method`. */
  readonly buttons: Readonly<Record<string, string>>
}

/** A form that keeps what was typed and shows what is wrong with it, beside the field if it has one. */
function Form({ view, part, fields = [], endpoint, buttons }: FormProps) {
  const { given } = view
  const isSent = view.part === part
  const fault = isSent ? view.fault : undefined
  return (
    <form class="form" action={`${ownerPath(view.host)}/${part}#${part.split('/')[0]}`} method="post">
      {endpoint !== undefined && <input type="hidden" name="endpoint" value={endpoint} />}
      {fields.map(({ value, ...field }) => (
        <Field
          {...field}
          form={part.replace('/', '-')}
          value={(isSent || view.part === undefined ? given.get(field.name) : undefined) ?? value}
          fault={fault?.parameter === field.name ? fault.message : undefined}
          isRequired
        />
      ))}
      {fault !== undefined &&
        !fields.some(({ name }) => name === fault.parameter) &&
        (given.has('text') || part !== 'announcements') === fields.length > 0 && (
          <p class="fault" role="alert">
            {fault.message}
          </p>
        )}
      {Object.entries(buttons).map(([method, text]) => (
        <button type="submit" {...(method !== '' && { name: 'method', value: method })}>
          {text}
        </button>
      ))}
    </form>
  )
}

const SECRET: FieldProps = {
  name: 'secret',
  label: 'Secret of your claim',
  hint: 'As this page showed it when you claimed the host.',
}

/** Says whether the host is claimed, and how to claim it by a file or DNS. */
function ClaimPart({ view }: Props) {
  const { claims, secret, token, fileUrl, host, now } = view
  const hint = 'If you come back after publishing, enter the secret that you kept.'
  return (
    <Part view={view} id="claims" title="Claim">
      {claims.map(({ method, since, heldAt, checkedAt, failures }) => (
        <p>
          <b>Claimed by {method === 'file' ? 'a file' : 'a DNS record'}</b> since <Day at={since} />. Last
          found <Moment at={heldAt} now={now} />, checked again by <Moment at={checkedAt + DAY} />, failed
          daily checks in a row: {failures}. At the third the claim lapses.
        </p>
      ))}
      {claims.length === 0 && <p>Not claimed. A claim is shown on the profile and changes no verdict.</p>}
      <details open={claims.length === 0 || (view.part === 'claims' && view.fault !== undefined)}>
        <summary>{claims.length === 0 ? 'Claim it' : 'Claim it again, if you lost the secret'}</summary>
        <p>
          Keep this secret: later it proves that the claim is yours. The line below is its hash; other
          visitors get another one.
        </p>
        <Snippet label="Secret" code={secret} />
        <p>
          Serve a file at <code>{fileUrl}</code> with this line, as plain text and without a redirect, or set
          a TXT record of <code>{claimName(host)}</code> to it:
        </p>
        <Snippet label="Line of the file, or TXT record" code={token} />
        <Form
          view={view}
          part="claims"
          fields={[{ name: 'secret', label: 'Your secret', hint, value: secret }]}
          buttons={{ file: 'Check the file', dns: 'Check the TXT record' }}
        />
      </details>
    </Part>
  )
}

/** Asks for a check of all endpoints of the host. */
function CheckPart({ view }: Props) {
  return (
    <Panel id="check" title="Check now">
      <form class="form" action={SCANS_PATH} method="post">
        <input type="hidden" name="host" value={view.host} />
        <p>Probes the endpoints of the host that are known here. A fix counts from then on.</p>
        <button type="submit">Check now</button>
      </form>
      {view.claims.length > 0 && (
        <details>
          <summary>Publish an endpoint that nobody lists</summary>
          <form class="form" action={SCANS_PATH} method="post">
            <input type="hidden" name="publish" value="1" />
            <Field name="url" label="URL of the endpoint" isRequired />
            <Field {...SECRET} isRequired />
            <button type="submit">Check and publish</button>
          </form>
        </details>
      )}
      <p class="small muted">
        To opt out of probes, disallow <code>{ROBOTS_NAME}</code> in <code>robots.txt</code>, or serve{' '}
        <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict then becomes unknown.
      </p>
    </Panel>
  )
}

/** The text that announces a new receiver, and the checks of its signature and of what is published. */
function AnnouncePart({ view }: Props) {
  const { change, changes, host, given } = view
  const [id, title] = ['announcements', 'Announce a receiver'] as const
  if (change === undefined) {
    return (
      <Panel id={id} title={title}>
        <p>
          No receiver of this host is known that could sign a text. Announce a change by paying the new
          receiver from the old one beforehand.
        </p>
      </Panel>
    )
  }
  const { seenAt, oldPayTo, newPayTo, network, announcedFrom } = change
  const [endpoint = ''] = change.endpoints
  const planned = given.get('newPayTo')
  const text = announcementText(change, planned)
  const fault = planned === undefined ? undefined : 'expected 0x and 40 hexadecimal digits'
  const hint = '0x and hexadecimal digits'
  return (
    <Part view={view} id={id} title={title}>
      {changes.length > 1 && (
        <Choices
          label="Receivers"
          options={changes.map((one) => ({
            href: `${ownerPath(host, { endpoint: `${one.endpoints[0]}` })}#${id}`,
            text: shortenAddress(one.newPayTo ?? one.oldPayTo),
            isCurrent: one === change,
          }))}
        />
      )}
      <p>
        {announcedFrom !== null ? (
          <>
            <b>Announced</b>: <Address value={oldPayTo} network={network} /> to{' '}
            <Address value={newPayTo ?? ''} network={network} />, from <Day at={announcedFrom} /> on.
          </>
        ) : seenAt === null ? (
          <>
            The receiver <Address value={oldPayTo} network={network} /> has not changed within 30 days.
            Announce a new one before you use it: <code>valid from</code> must not be later than its first
            use.
          </>
        ) : (
          <>
            The receiver changed, first measured <Moment at={seenAt} />. If you moved your wallet, publish the
            signed text, even late: <code>valid from</code> must not be later than that. If you did not,
            somebody else answers for your host: rotate your deployment keys and restore the receiver.
          </>
        )}
      </p>
      {announcedFrom !== null ? null : text === undefined ? (
        <form class="form" action={`${ownerPath(host)}#${id}`} method="get">
          <input type="hidden" name="endpoint" value={endpoint} />
          <Field name="newPayTo" label="New receiver" value={planned} fault={fault} hint={hint} isRequired />
          <button type="submit">Show the text to sign</button>
        </form>
      ) : (
        <>
          <p>
            Sign exactly this text with the <b>old</b> receiver (<code>personal_sign</code>). The check stores
            nothing.
          </p>
          <Snippet label="Text to sign" code={text} />
          <Form
            view={view}
            part={id}
            endpoint={endpoint}
            fields={[
              { name: 'text', label: 'Text that was signed', rows: 6, value: text },
              { name: 'signature', label: 'Signature by the old receiver', hint },
            ]}
            buttons={{ '': 'Check the signature' }}
          />
        </>
      )}
      {announcedFrom === null && (
        <Form view={view} part={id} endpoint={endpoint} buttons={{ '': 'Check what is published' }} />
      )}
    </Part>
  )
}

/** Takes an objection to a verdict or an incident. */
function DisputePart({ view }: Props) {
  const endpoints = view.changes.flatMap((change) => change.endpoints)
  const about = view.isOfIncident
    ? { name: 'incident', label: 'Id of the incident' }
    : { name: 'endpoint', label: 'URL of the endpoint', value: endpoints.length === 1 ? endpoints[0] : '' }
  const hint = `At most ${MAX_DISPUTE_CHARACTERS} characters of plain text. It will be public.`
  const text = { name: 'text', label: 'Text', hint, rows: 6 }
  return (
    <Part view={view} id="disputes" title="Dispute">
      <p>
        Say what is wrong, and how one can see it. The operator publishes it with an answer on the profile or
        the incident. It changes no verdict: measurements do.
      </p>
      <Form view={view} part="disputes" fields={[about, text, SECRET]} buttons={{ '': 'Send the dispute' }} />
    </Part>
  )
}

/** Creates and removes webhooks, and names the RSS feed. */
function AlertPart({ view }: Props) {
  const url = { name: 'url', label: 'URL that receives messages', hint: 'https on a public address' }
  const hint = 'Starts with whsec_. If you lost it, create the webhook again: the new one replaces it.'
  return (
    <Part view={view} id="webhooks" title="Alerts">
      <p>
        Follow the host by <a href={hostFeedPath(view.host)}>RSS</a>, or have its incidents and changes sent
        to your URL as{' '}
        <a href="https://www.standardwebhooks.com/" rel="noopener noreferrer">
          signed messages
        </a>
        .
      </p>
      <Form view={view} part="webhooks" fields={[url, SECRET]} buttons={{ '': 'Create the webhook' }} />
      <details open={view.part === 'webhooks/remove'}>
        <summary>Remove a webhook</summary>
        <Form
          view={view}
          part="webhooks/remove"
          fields={[
            { name: 'id', label: 'Id', hint: 'As shown at its creation' },
            { name: 'secret', label: 'Secret of the webhook', hint },
          ]}
          buttons={{ '': 'Remove' }}
        />
      </details>
    </Part>
  )
}

/** The badge, and the URL to paste. */
function BadgePart({ view: { host, publicUrl } }: Props) {
  const path = `/badge/${encodeURIComponent(host)}.svg`
  return (
    <Panel id="badge" title="Badge">
      <p>
        <img src={path} alt={`Verdict on ${host}`} height={20} />
      </p>
      <Snippet label="URL of the badge" code={publicUrl + path} />
    </Panel>
  )
}
