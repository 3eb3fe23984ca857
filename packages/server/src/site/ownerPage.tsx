import type { ComponentChildren, VNode } from 'preact'
import type { Time } from '../domain/facts/facts.ts'
import { ROBOTS_NAME } from '../domain/facts/optOut.ts'
import { DAY } from '../domain/facts/times.ts'
import { announcementText, type ReceiverChange } from '../owners/announcement.ts'
import { MAX_DISPUTE_CHARACTERS } from '../owners/createDisputes.ts'
import { claimName, type FieldFault, type HostClaim } from '../owners/hostClaim.ts'
import { CheckButton } from './components/checkForm.tsx'
import { Field, type FieldProps } from './components/field.tsx'
import { Layout } from './components/layout.tsx'
import { Choices, Panel } from './components/panel.tsx'
import { Address, Day, Moment, OutLink, Seller, Snippet } from './components/prose.tsx'
import { plural } from './format.ts'
import type { PageDeps } from './pageDeps.ts'
import { hostFeedPath, ownerPath, profilePath, SCANS_PATH } from './paths.ts'
import { cleanText, shortenAddress } from './text.ts'

/** What the owner page of a host shows. */
export type OwnerView = {
  readonly host: string
  readonly publicUrl: string
  readonly operator: PageDeps['operator']
  readonly now: Time
  readonly claims: readonly HostClaim[]
  /** Secret of this visitor, and the token that is its hash. */
  readonly secret: string
  readonly token: string
  readonly fileUrl: string
  /** Whether the index holds the host, which then has a profile and a feed. */
  readonly isListed: boolean
  readonly changes: readonly ReceiverChange[]
  /** The change that the announcement is about. */
  readonly change: ReceiverChange | undefined
  /** The form that was sent, or that the query fills in. */
  readonly part: string
  readonly given: ReadonlyMap<string, string>
  readonly fault?: FieldFault
  /** What the form has done. */
  readonly note?: VNode
}

type Props = { readonly view: OwnerView }

/** The forms of an owner, in the order in which they are needed. */
export function OwnerPage({ view }: Props) {
  const { host, publicUrl, operator, isListed } = view
  const badge = `/badge/${encodeURIComponent(host)}.svg`
  return (
    <Layout
      title={`Owner of ${cleanText(host, 80)}`}
      description="Claim a host, check it now, announce a receiver, dispute a measurement, and get alerts."
      path={ownerPath(host)}
      publicUrl={publicUrl}
      operator={operator}
      isUnlisted
    >
      <h1>
        Is <Seller text={host} max={120} /> yours?
      </h1>
      <p class="lede">
        Claim it by a file or DNS. Disputes and webhooks need the claim; a check and an announcement do not.{' '}
        {isListed && <a href={profilePath(host)}>Profile</a>}
      </p>
      <div class="stack flow">
        <Claim view={view} />
        <CheckNow view={view} />
        <Announce view={view} />
        <Section view={view} id="disputes" title="Dispute">
          <p>
            Say what is wrong, and how one can see it. The operator publishes it with an answer on the profile
            or the incident. It changes no verdict: measurements do.
          </p>
          <Form
            view={view}
            part="disputes"
            fields={[{ name: 'about', label: 'URL of the endpoint, or id of the incident' }, TEXT, SECRET]}
            buttons={[{ children: 'Send the dispute' }]}
          />
        </Section>
        <Section view={view} id="webhooks" title="Alerts">
          <p>
            Follow the host by {isListed ? <a href={hostFeedPath(host)}>RSS</a> : 'RSS'}, or have its
            incidents and changes sent to your URL as{' '}
            <OutLink href="https://www.standardwebhooks.com/">signed messages</OutLink>.
          </p>
          <Form
            view={view}
            part="webhooks"
            fields={[WEBHOOK_URL, SECRET]}
            buttons={[
              { children: 'Create the webhook' },
              { children: 'Remove it', formAction: `${ownerPath(host)}/webhooks/remove#webhooks` },
            ]}
          />
        </Section>
        <Panel id="badge" title="Badge">
          <p>
            <img src={badge} alt={`Verdict on ${host}`} height={20} />
          </p>
          <Snippet label="URL of the badge" code={publicUrl + badge} />
        </Panel>
      </div>
    </Layout>
  )
}

const SECRET: FieldProps = {
  name: 'secret',
  label: 'Secret of your claim',
  hint: 'As this page showed it when you claimed the host.',
}
const TEXT: FieldProps = {
  name: 'text',
  label: 'Text',
  hint: `At most ${MAX_DISPUTE_CHARACTERS} characters of plain text. It will be public.`,
  rows: 6,
}
const WEBHOOK_URL: FieldProps = {
  name: 'url',
  label: 'URL that receives messages',
  hint: 'https on a public address. One of the same URL is replaced and gets a new secret.',
}

type SectionProps = Props & {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}

/** A section, with what its form has done. */
function Section({ view: { note, part }, id, title, children }: SectionProps) {
  return (
    <Panel id={id} title={title}>
      {note !== undefined && part === id && (
        <div class="notice" role="status">
          {note}
        </div>
      )}
      {children}
    </Panel>
  )
}

type FormProps = Props & {
  /** Path of the form below that of the page, and id of its section. */
  readonly part: string
  readonly fields: readonly FieldProps[]
  /** Value of a field that is not shown. */
  readonly endpoint?: string | undefined
  readonly buttons: readonly {
    readonly children: string
    readonly name?: string
    readonly value?: string
    readonly formAction?: string
  }[]
}

/** A form that keeps what was typed and shows what is wrong with it, beside the field if it has one. */
function Form({ view, part, fields, endpoint, buttons }: FormProps) {
  const { given, fault } = view.part === part ? view : { given: undefined, fault: undefined }
  return (
    <form class="form" action={`${ownerPath(view.host)}/${part}#${part}`} method="post">
      {endpoint !== undefined && <input type="hidden" name="endpoint" value={endpoint} />}
      {fields.map((field) => (
        <Field
          {...field}
          form={part}
          value={given?.get(field.name) || field.value}
          fault={fault?.parameter === field.name ? fault.message : undefined}
        />
      ))}
      {fault !== undefined && fields.every(({ name }) => name !== fault.parameter) && (
        <p class="fault" role="alert">
          {fault.message}
        </p>
      )}
      <p class="chips">
        {buttons.map((button) => (
          <button type="submit" {...button} />
        ))}
      </p>
    </form>
  )
}

/** Says whether the host is claimed, and how to claim it by a file or DNS. */
function Claim({ view }: Props) {
  const { claims, secret, token, fileUrl, host, now, part, fault } = view
  const isClaimed = claims.length > 0
  const hint = 'If you come back after publishing, enter the secret that you kept.'
  return (
    <Section view={view} id="claims" title="Claim">
      {claims.map(({ method, since, heldAt, checkedAt, failures }) => (
        <p>
          <b>Claimed by {method === 'file' ? 'a file' : 'a DNS record'}</b> since <Day at={since} />. Last
          found <Moment at={heldAt} now={now} />, checked again by <Moment at={checkedAt + DAY} />.
          {failures > 0 && ` ${plural(failures, 'daily check')} failed; at the third the claim lapses.`}
        </p>
      ))}
      {!isClaimed && <p>Not claimed. A claim is shown on the profile and changes no verdict.</p>}
      <details open={!isClaimed || (part === 'claims' && fault !== undefined)}>
        <summary>{isClaimed ? 'Claim it again, if you lost the secret' : 'Claim it'}</summary>
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
          buttons={[
            { children: 'Check the file', name: 'method', value: 'file' },
            { children: 'Check the TXT record', name: 'method', value: 'dns' },
          ]}
        />
      </details>
    </Section>
  )
}

/** Asks for a check of all endpoints of the host, or of one that no document names. */
function CheckNow({ view: { host, claims } }: Props) {
  return (
    <Panel id="check" title="Check now">
      <p>Probes the endpoints of the host that are known here. A fix counts from then on.</p>
      <CheckButton fields={{ host }} label="Check now" />
      {claims.length > 0 && (
        <details>
          <summary>Publish an endpoint that nobody lists</summary>
          <form class="form" action={SCANS_PATH} method="post">
            <input type="hidden" name="publish" value="1" />
            <Field name="url" label="URL of the endpoint" />
            <Field {...SECRET} />
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
function Announce({ view }: Props) {
  const { change, changes, host } = view
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
  const { seenAt, oldPayTo, newPayTo, network, endpoints, announcedFrom } = change
  return (
    <Section view={view} id={id} title={title}>
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
      {announcedFrom !== null ? (
        <p>
          <b>Announced</b>: <Address value={oldPayTo} network={network} /> to{' '}
          <Address value={newPayTo ?? ''} network={network} />, from <Day at={announcedFrom} /> on.
        </p>
      ) : (
        <>
          <p>
            {seenAt === null ? (
              <>
                The receiver <Address value={oldPayTo} network={network} /> has not changed within 30 days.
                Announce a new one before you use it: put its address into the line <code>new</code>.
              </>
            ) : (
              <>
                The receiver changed, first measured <Moment at={seenAt} />. If you moved your wallet, publish
                the signed text, even late. If you did not, somebody else answers for your host: rotate your
                deployment keys and restore the receiver.
              </>
            )}{' '}
            Sign exactly this text with the <b>old</b> receiver (<code>personal_sign</code>); its{' '}
            <code>valid from</code> must not be later than the first use. The check stores nothing.
          </p>
          <Form
            view={view}
            part={id}
            endpoint={endpoints[0]}
            fields={[
              { name: 'text', label: 'Text that was signed', rows: 8, value: announcementText(change) },
              {
                name: 'signature',
                label: 'Signature by the old receiver',
                hint: SIGNATURE,
                isRequired: false,
              },
            ]}
            buttons={[
              { children: 'Check the signature' },
              { children: 'Check what is published', name: 'method', value: 'published' },
            ]}
          />
        </>
      )}
    </Section>
  )
}

const SIGNATURE = '0x and hexadecimal digits'
