import type { ComponentChildren } from 'preact'
import type { Time } from '../domain/facts/facts.ts'
import { ROBOTS_NAME } from '../domain/facts/optOut.ts'
import { DAY } from '../domain/facts/times.ts'
import { announcementText, PUBLISHED, type ReceiverChange } from '../owners/announcement.ts'
import { MAX_DISPUTE_CHARACTERS } from '../owners/createDisputes.ts'
import { claimName, type FieldFault, type HostClaim } from '../owners/hostClaim.ts'
import { Field } from './components/field.tsx'
import { Choices, Panel } from './components/panel.tsx'
import { Address, Day, Moment, Snippet } from './components/prose.tsx'
import { METHOD_NAMES } from './components/standing.tsx'
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
  /** Whether disputes are about the incident that the fields name. */
  readonly isOfIncident: boolean
  /** The form that was sent. @default none */
  readonly part?: string
  /** Values of its fields, or of the query. */
  readonly given: ReadonlyMap<string, string>
  readonly fault?: FieldFault | undefined
}

type Props = { readonly view: OwnerView }
type FormProps = Props & { readonly part: string; readonly children: ComponentChildren }

function Form({ view, part, children }: FormProps) {
  return (
    <form class="form" action={`${ownerPath(view.host)}/${part}`} method="post">
      {children}
    </form>
  )
}

const faultOf = ({ fault, ...view }: OwnerView, part: string, name: string) =>
  view.part === part && fault?.parameter === name ? fault.message : undefined

/** What a field holds: what was sent, and what is wrong with it. */
function fieldOf(view: OwnerView, part: string, name: string, usual = '') {
  const isSent = view.part === part || view.part === undefined
  const value = (isSent ? view.given.get(name) : undefined) ?? usual
  return { form: part.replace('/', '-'), name, value, fault: faultOf(view, part, name), isRequired: true }
}

function Fault({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="fault" role="alert">
      {text}
    </p>
  )
}

/** Proves who sends a form. */
function SecretField({ view, part }: Props & { readonly part: string }) {
  const hint = (
    <>
      As shown when you <a href="#claims">claimed the host</a>
    </>
  )
  return <Field {...fieldOf(view, part, 'secret')} label="Secret of your claim" hint={hint} max={60} />
}

/** Says whether the host is claimed, and how to claim it by a file or DNS. */
export function ClaimPanel({ view }: Props) {
  const { claims, secret, token, fileUrl, host, now } = view
  const part = 'claims'
  const methodFault = (method: string) =>
    view.given.get('method') === method ? faultOf(view, part, 'method') : undefined
  const form = (
    <Form view={view} part={part}>
      <p>
        Keep this secret: it proves later that the claim is yours. The line below is its hash, and each
        visitor gets another one.
      </p>
      <Snippet label="Secret" code={secret} />
      <p>
        Serve a file at <code>{fileUrl}</code> with this line, as plain text and without a redirect, or set a
        TXT record of <code>{claimName(host)}</code> to it:
      </p>
      <Snippet label="Line of the file, or TXT record" code={token} />
      <Field
        {...fieldOf(view, part, 'secret', secret)}
        label="Your secret"
        hint="If you come back after publishing, enter the secret that you kept."
        max={60}
      />
      <Fault text={methodFault('file')} />
      <button type="submit" name="method" value="file">
        Check the file
      </button>{' '}
      <Fault text={methodFault('dns')} />
      <button type="submit" name="method" value="dns">
        Check the TXT record
      </button>
    </Form>
  )
  return (
    <Panel id={part} title="Claim">
      {claims.map(({ method, since, heldAt, checkedAt, failures }) => (
        <p>
          <b>Claimed by {METHOD_NAMES[method]}</b> since <Day at={since} />. Last found{' '}
          <Moment at={heldAt} now={now} />, checked again by <Moment at={checkedAt + DAY} />
          {failures > 0 && `; the last ${failures === 1 ? 'check' : `${failures} checks`} failed`}. The claim
          lapses after three daily checks in a row that fail.
        </p>
      ))}
      {claims.length === 0 ? (
        <>
          <p>Nobody has claimed this host. A claim changes no verdict and is shown on the profile.</p>
          {form}
        </>
      ) : (
        <details open={view.part === part && view.fault !== undefined}>
          <summary>Claim it again, if you lost the secret</summary>
          {form}
        </details>
      )}
    </Panel>
  )
}

/** Asks for a check of all endpoints of the host. */
export function CheckPanel({ view }: Props) {
  return (
    <Panel id="check" title="Check now">
      <form class="form" action={SCANS_PATH} method="post">
        <input type="hidden" name="host" value={view.host} />
        <p>Probes the endpoints of the host that are known here. A fix counts from then on.</p>
        <button type="submit">Check</button>
      </form>
      <p class="small muted">
        To opt out of probes, disallow <code>{ROBOTS_NAME}</code> in <code>robots.txt</code>, or serve{' '}
        <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict then becomes unknown.
      </p>
    </Panel>
  )
}

/** The text that announces a new receiver, and the checks of its signature and of what is published. */
export function AnnouncePanel({ view }: Props) {
  const { change, changes, host } = view
  const part = 'announcements'
  const [endpoint] = change?.endpoints ?? []
  if (change === undefined || endpoint === undefined) {
    return (
      <Panel id={part} title="Announce a receiver">
        <p>
          No receiver of this host is known that could sign a text. Announce a change by paying the new
          receiver from the old one beforehand.
        </p>
      </Panel>
    )
  }
  const { seenAt, oldPayTo } = change
  const text = announcementText(change, view.given.get('newPayTo'))
  return (
    <Panel id={part} title="Announce a receiver">
      {changes.length > 1 && (
        <Choices
          label="Receivers"
          options={changes.map((one) => ({
            href: `${ownerPath(host, { endpoint: `${one.endpoints[0]}` })}#${part}`,
            text: shortenAddress(one.oldPayTo) + (one.newPayTo ? ` → ${shortenAddress(one.newPayTo)}` : ''),
            isCurrent: one === change,
          }))}
        />
      )}
      {seenAt === null ? (
        <p>
          The receiver <Address value={oldPayTo} network={change.network} /> has not changed within 30 days.
          Announce a new one before you use it: <code>valid from</code> must not be later than its first use.
        </p>
      ) : (
        <p>
          The receiver changed, first measured <Moment at={seenAt} />. If you moved your wallet, publish the
          text below, signed: <code>valid from</code> must not be later than that, and a signature that is
          published late counts too. If you did not, somebody else answers for your host: rotate your
          deployment keys, restore the receiver, then check again.
        </p>
      )}
      {text === undefined ? (
        <form class="form" action={`${ownerPath(host)}#${part}`} method="get">
          <input type="hidden" name="endpoint" value={endpoint} />
          <Field
            {...fieldOf(view, part, 'newPayTo')}
            label="New receiver"
            hint="0x and 40 hexadecimal digits"
            max={42}
          />
          <button type="submit">Show the text to sign</button>
        </form>
      ) : (
        <>
          <p>
            Sign exactly this text with the <b>old</b> receiver (<code>personal_sign</code>). The check stores
            nothing.
          </p>
          <Snippet label="Text to sign" code={text} />
          <Form view={view} part={part}>
            <input type="hidden" name="endpoint" value={endpoint} />
            <Field {...fieldOf(view, part, 'text', text)} label="Text that was signed" rows={6} />
            <Field
              {...fieldOf(view, part, 'signature')}
              label="Signature by the old receiver"
              hint="0x and 130 hexadecimal digits"
              max={4200}
            />
            <button type="submit">Check the signature</button>
          </Form>
        </>
      )}
      <Form view={view} part={part}>
        <input type="hidden" name="endpoint" value={endpoint} />
        <Fault text={faultOf(view, part, PUBLISHED)} />
        <button type="submit">Check what is published</button>
      </Form>
    </Panel>
  )
}

/** Takes an objection to a verdict or an incident. */
export function DisputeFormPanel({ view }: Props) {
  const part = 'disputes'
  const field = (name: string) => fieldOf(view, part, name)
  const [only, ...others] = view.changes.flatMap(({ endpoints }) => endpoints)
  return (
    <Panel id={part} title="Dispute">
      <p>
        Say what is wrong, and how one can see it. The operator publishes it with an answer on the profile or
        the incident. It changes no verdict: measurements do.
      </p>
      <Form view={view} part={part}>
        {view.isOfIncident ? (
          <Field {...field('incident')} label="Id of the incident" max={64} />
        ) : (
          <Field
            {...fieldOf(view, part, 'endpoint', others.length === 0 ? only : '')}
            label="URL of the endpoint"
          />
        )}
        <Field
          {...field('text')}
          label="Text"
          hint={`At most ${MAX_DISPUTE_CHARACTERS} characters of plain text. It will be public.`}
          rows={6}
          max={MAX_DISPUTE_CHARACTERS}
        />
        <SecretField view={view} part={part} />
        <button type="submit">Send the dispute</button>
      </Form>
    </Panel>
  )
}

/** Creates and removes webhooks, and names the RSS feed. */
export function AlertPanel({ view }: Props) {
  const [part, removal] = ['webhooks', 'webhooks/remove'] as const
  return (
    <Panel id={part} title="Alerts">
      <p>
        Follow the host by <a href={hostFeedPath(view.host)}>RSS</a>, or have its incidents and changes sent
        to your URL as{' '}
        <a href="https://www.standardwebhooks.com/" rel="noopener noreferrer">
          signed messages
        </a>
        .
      </p>
      <Form view={view} part={part}>
        <Field
          {...fieldOf(view, part, 'url')}
          label="URL that receives messages"
          hint="https on a public address"
        />
        <SecretField view={view} part={part} />
        <button type="submit">Create the webhook</button>
      </Form>
      <details open={view.part === removal}>
        <summary>Remove a webhook</summary>
        <Form view={view} part={removal}>
          <Field {...fieldOf(view, removal, 'id')} label="Id" hint="As shown at its creation" max={80} />
          <Field
            {...fieldOf(view, removal, 'secret')}
            label="Secret of the webhook"
            hint="Starts with whsec_. If you lost it, create the webhook again: the new one replaces it."
            max={80}
          />
          <button type="submit">Remove</button>
        </Form>
      </details>
    </Panel>
  )
}

/** The badge, and the URL to paste. */
export function BadgePanel({ view: { host, publicUrl } }: Props) {
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
