import { formatUsdc, siteOf } from '@touchstone402/shared'
import { ROBOTS_NAME } from '../facts/optOut.ts'
import { DAY, toTimestamp } from '../facts/times.ts'
import type { Page, PageAnswer } from '../http/deps.ts'
import { ProblemError } from '../http/problems.ts'
import { admit, createLimiter } from '../http/rateLimit.ts'
import { withoutName } from '../http/readFields.ts'
import type { ReceiverChange } from '../owners/announcement.ts'
import { claimName, claimToken, hostnameOf, isClaimSecret, newClaimSecret } from '../owners/hostClaim.ts'
import { answerHtml, answerJson, answerSeeOther } from './answerHtml.tsx'
import { CheckButton } from './components/checkForm.tsx'
import { Field, Form, type SentForm } from './components/form.tsx'
import { Layout } from './components/layout.tsx'
import { Choices, Panel } from './components/panel.tsx'
import { Address, Day, HostName, Moment, OutLink, Seller, Snippet } from './components/prose.tsx'
import { findHost, isReachable, readHost, readUrl } from './hostName.ts'
import { OWNER_FORMS, readReceivers } from './ownerForms.ts'
import type { PageDeps } from './pageDeps.ts'
import { hostFeedPath, ownerPath, profilePath } from './paths.ts'
import { readParameter } from './readParameter.ts'
import { cleanText, shortenAddress } from './text.ts'

// Windows in real time.
const PER_CLIENT = { points: 30, windowSeconds: 3600 }
/** Limits how often the documents of a host are read. */
const PER_SITE = { points: 30, windowSeconds: 3600 }

/** Creates `/owners/{host}`, by which the owner of a host claims it and uses the claim, and the paths of its forms. */
export function createOwnerPages(deps: PageDeps): Page[] {
  const clients = createLimiter(PER_CLIENT)
  const sites = createLimiter(PER_SITE)
  const path = '/owners/:host'
  const page: Page = {
    path,
    handler: async ({ params, search, accepts }) => {
      const host = await findOwned(deps, params.host)
      if (accepts === 'json')
        return alone(
          answerJson(describe(await readView(deps, host, { planned: readParameter(search, 'newPayTo') }))),
        )
      const read = (name: string) => [name, readParameter(search, name) ?? ''] as const
      return show(deps, host, {
        part: 'disputes',
        given: new Map(['endpoint', 'about', 'newPayTo'].map(read)),
      })
    },
  }
  const posts = Object.entries(OWNER_FORMS).map(
    ([form, take]): Page => ({
      path: `${path}/${form}`,
      handler: ({ params }) => answerSeeOther(ownerPath(params.host ?? '')),
      post: async ({ params, fields, accepts, client }) => {
        admit(clients, client)
        const host = await findOwned(deps, params.host)
        const of = (name: string) => fields.get(name)?.trim() ?? ''
        const countRequest = () => admit(sites, siteOf(hostnameOf(host)))
        const part = form.replace('/remove', '')
        try {
          const { status = 200, json, note, copy } = await take(deps, { host, of, countRequest })
          if (accepts === 'json') return alone(answerJson(json, { status }))
          // Signed texts are checked again once they are published; what is done is not sent twice.
          const given = part === 'announcements' ? fields : new Map()
          return await show(deps, host, { part, given, note, copy }, { status })
        } catch (error) {
          if (accepts === 'json' || !(error instanceof ProblemError)) throw error
          const { status, retryAfterSeconds, detail, errors = [] } = error.refusal
          const { parameter, message } = errors[0] ?? { parameter: '', message: detail }
          const fault = { parameter, message: withoutName(parameter, message) }
          // A person's input is kept.
          return show(deps, host, { part, given: fields, fault }, { status, retryAfterSeconds })
        }
      },
    }),
  )
  return [page, ...posts]
}

/** Returns a host that can be claimed: one of the index, or one that no directory lists yet. */
async function findOwned(deps: PageDeps, name = ''): Promise<string> {
  const host = readHost(name)
  return host !== undefined && isReachable(host, deps) ? host : (await findHost(deps, name)).host
}

/** Keeps an answer with a secret out of caches and search engines. */
const alone = (answer: PageAnswer): PageAnswer => ({ ...answer, isSecret: true, isUnlisted: true })

/** Reads the data of the owner page. */
async function readView(
  deps: PageDeps,
  host: string,
  { typed = '', planned }: { readonly typed?: string | undefined; readonly planned?: string | undefined },
) {
  const { publicUrl, hostClaims } = deps
  // The token of a secret in the wrong form is of no use, so the page comes with another one.
  const secret = isClaimSecret(typed) ? typed : newClaimSecret()
  const [claims, receivers] = await Promise.all([
    hostClaims.of(host),
    readReceivers(deps, host, planned?.trim()),
  ])
  const token = claimToken(publicUrl, host, secret)
  return { host, secret, token, fileUrl: hostClaims.fileUrl(host), claims, ...receivers }
}

function describe({
  host,
  secret,
  token,
  fileUrl,
  claims,
  changes,
  funding,
}: Awaited<ReturnType<typeof readView>>) {
  return {
    host,
    claims: claims.map(({ method, since, checkedAt }) => ({
      method,
      since: toTimestamp(since),
      checkedAt: toTimestamp(checkedAt),
      nextCheckAt: toTimestamp(checkedAt + DAY),
    })),
    secret,
    file: { url: fileUrl, line: token },
    dns: { name: claimName(host), type: 'TXT', value: token },
    announcements: changes.map(({ host: _, endpoints: [endpoint], ...change }) => ({ endpoint, ...change })),
    funding,
  }
}

async function show(deps: PageDeps, host: string, sent: SentForm, more: Partial<PageAnswer> = {}) {
  const typed = sent.given.get('secret')?.trim()
  const view = { ...(await readView(deps, host, { typed, planned: sent.given.get('newPayTo') })), ...sent }
  return alone({ ...answerHtml(<OwnerPage view={view} deps={deps} />), ...more })
}

type Props = { readonly view: Awaited<ReturnType<typeof readView>> & SentForm }

/** The forms of an owner, in the order in which they are needed. */
function OwnerPage({ view, deps: { publicUrl, operator } }: Props & { readonly deps: PageDeps }) {
  const { host, isListed } = view
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
        Is <HostName host={host} max={120} /> yours?
      </h1>
      <p class="lede">
        Claim it by a file or DNS. Disputes and webhooks need the claim; a check and an announcement do not.{' '}
        {isListed && <a href={profilePath(host)}>Profile</a>}
      </p>
      <div class="stack">
        <Claim view={view} />
        <CheckNow view={view} />
        <Announce view={view} />
        {view.funding.length > 0 && <Fund view={view} />}
        <Panel id="disputes" title="Dispute">
          <p>
            Say what is wrong, and how one can see it. The operator publishes it with an answer on the profile
            or the incident. It changes no verdict: measurements do.
          </p>
          <Form
            view={view}
            part="disputes"
            names={['about', 'text', 'secret']}
            buttons={{ send: 'Send the dispute' }}
          />
        </Panel>
        <Panel id="webhooks" title="Alerts">
          <p>
            Follow the host by {isListed ? <a href={hostFeedPath(host)}>RSS</a> : 'RSS'}, or have its
            incidents and changes sent to your URL as{' '}
            <OutLink href="https://www.standardwebhooks.com/">signed messages</OutLink>. A webhook of the same
            URL is replaced and gets a new secret.
          </p>
          <Form view={view} part="webhooks" names={['url', 'secret']} buttons={{ add: 'Create the webhook' }}>
            <button type="submit" formAction={`${ownerPath(host)}/webhooks/remove#webhooks`}>
              Remove it
            </button>
          </Form>
        </Panel>
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

/** Shows how to fund a test purchase of a call that costs more than the usual limit. */
function Fund({ view: { funding } }: Props) {
  return (
    <Panel id="funding" title="Fund a test purchase">
      <p>
        These calls cost more than the service usually pays for a test. Send exactly this amount of USDC from
        the receiver of the endpoint, and the service buys one call 1 to 14 days later. Its outcome is shown 3
        to 21 days after that. The amount is not refunded. If nothing can be bought within 90 days, or another
        amount comes, it is kept without a purchase.
      </p>
      <ul>
        {funding.map(({ endpoint, network, from, to, amountUsd }) => (
          <li>
            <Seller text={endpoint} max={120} />: <code>{amountUsd}</code> USDC from{' '}
            <Address value={from} network={network} /> to <Address value={to} network={network} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Shows whether the host is claimed, and how to claim it by a file or DNS. */
function Claim({ view }: Props) {
  const { claims, secret, token, fileUrl, host, part, fault } = view
  const isClaimed = claims.length > 0
  // A wrong secret stays in the field, and gets no line to publish.
  const isWrong = part === 'claims' && fault?.parameter === 'secret'
  return (
    <Panel id="claims" title="Claim">
      {claims.map(({ method, since, heldAt, checkedAt }) => (
        <p>
          <b>Claimed by {method === 'file' ? 'a file' : 'a DNS record'}</b> since <Day at={since} />. Last
          found <Moment at={heldAt} />, checked again by <Moment at={checkedAt + DAY} />. The claim lapses at
          the third daily check in a row that fails.
        </p>
      ))}
      {!isClaimed && (
        <p>
          Not claimed. A claim is shown on the profile. One by DNS may confirm a later change of receiver.
        </p>
      )}
      <details open={!isClaimed || part === 'claims'}>
        <summary>{isClaimed ? 'Claim it again, if you lost the secret' : 'Claim it'}</summary>
        <p>
          Keep the secret below: later it proves that the claim is yours. Every visit shows another one, so
          enter the one that you kept if you come back after publishing. The line to publish is its hash.
          Serve a file at <code>{fileUrl}</code> with this line, as plain text and without a redirect, or set
          a TXT record of <code>{claimName(host)}</code> to it:
        </p>
        {!isWrong && <Snippet label="Line of the file, or TXT record" code={token} />}
        <Form
          view={view}
          part="claims"
          names={['secret']}
          values={{ secret }}
          buttons={{ file: 'Check the file', dns: 'Check the TXT record' }}
        />
      </details>
    </Panel>
  )
}

/** Asks for a check of all endpoints of the host. */
function CheckNow({ view: { host } }: Props) {
  return (
    <Panel id="check" title="Check now">
      <p>
        Probes the endpoints of the host that are known here. A fix counts from then on. To publish an
        unlisted one, <a href="/">check its URL</a>: the result takes the secret of your claim.
      </p>
      <CheckButton fields={{ host }} label="Check now" />
      <p class="small muted">
        To opt out of probes, disallow <code>{ROBOTS_NAME}</code> in <code>robots.txt</code>, or serve{' '}
        <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict then becomes unknown.
      </p>
    </Panel>
  )
}

/** The text that announces a new receiver, and the checks of its signature and of what is published. */
function Announce({ view }: Props) {
  const { changes, given, host } = view
  const asked = readUrl(given.get('endpoint') ?? '')?.key ?? ''
  const change = changes.find(({ endpoints }) => endpoints.includes(asked)) ?? changes[0]
  const id = 'announcements'
  return (
    <Panel id={id} title="Announce a receiver">
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
      {change === undefined ? (
        <p>No receiver of this host is known that could announce a new one.</p>
      ) : change.announcedFrom !== null ? (
        <p>
          <b>Announced</b>: <Address value={change.oldPayTo} network={change.network} /> to{' '}
          <Address value={change.newPayTo ?? ''} network={change.network} />, from{' '}
          <Day at={change.announcedFrom} /> on.
        </p>
      ) : (
        <>
          <p>
            {change.firstSeenAt === null
              ? 'Announce a new receiver before you use it: put its address into the line "new".'
              : 'The receiver changed. If you moved your wallet, publish the signed text, even late. If you did not, someone else answers for your host: rotate your deployment keys and restore the receiver.'}{' '}
            Sign exactly this text with the <b>old</b> receiver (<code>personal_sign</code>); its{' '}
            <code>valid from</code> must not be later than the first use. The check stores nothing.
          </p>
          <Form
            view={view}
            part={id}
            names={['text', 'signature']}
            values={{ text: change.text, endpoint: `${change.endpoints[0]}` }}
            buttons={{ signed: 'Check the signature', published: 'Check what is published' }}
          />
          {change.firstSeenAt === null ? (
            <Pay change={change} host={host} planned={given.get('newPayTo') ?? ''} />
          ) : (
            <Confirm view={view} change={change} />
          )}
        </>
      )}
    </Panel>
  )
}

type ChangeProps = { readonly change: ReceiverChange }

/** The payment on chain by which an old receiver that cannot sign a text announces the new one. */
function Pay({ change, host, planned }: ChangeProps & { readonly host: string; readonly planned: string }) {
  const { amountAtomic, oldPayTo } = change
  return (
    <>
      {amountAtomic !== null && (
        <p>
          Or, before its first use, pay <b>exactly {formatUsdc(BigInt(amountAtomic))} USDC</b> on Base from{' '}
          <Address value={oldPayTo} network={change.network} /> to{' '}
          <Address value={planned} network={change.network} />.
        </p>
      )}
      <form class="form" action={`${ownerPath(host)}#announcements`} method="get">
        <input type="hidden" name="endpoint" value={change.endpoints[0]} />
        <Field
          id="f-new-receiver"
          name="newPayTo"
          label="New receiver"
          value={planned}
          hint="Shows the exact amount that announces it on chain."
        />
        <button type="submit">Show text and amount</button>
      </form>
    </>
  )
}

/** Lets the owner of a host that was claimed by DNS before confirm a change. */
function Confirm({ view, change }: Props & ChangeProps) {
  return (
    <>
      <p>
        Without the old receiver: a claim by DNS from before the change may confirm it. Avoid becomes Caution
        once the receiver has stayed for seven days.
      </p>
      <Form
        view={view}
        part="confirmations"
        names={['secret']}
        values={{ endpoint: `${change.endpoints[0]}` }}
        buttons={{ confirm: 'Confirm the change' }}
      />
    </>
  )
}
