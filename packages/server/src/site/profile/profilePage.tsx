import { findKnownNetwork, isCanonicalUsdc, OPERATIONS } from '@touchstone402/shared'
import type { Page, PageRequest } from '../../http/deps.ts'
import { describeProfile } from '../../publish/profile.ts'
import { answerHtml, answerJson, answerSeeOther } from '../answerHtml.tsx'
import { CheckButton } from '../components/checkForm.tsx'
import { DisputePanel } from '../components/disputes.tsx'
import { EventList } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Definitions, Panel } from '../components/panel.tsx'
import { Address, EndpointName, HostName, Seller, Snippet } from '../components/prose.tsx'
import { Recipe } from '../components/recipe.tsx'
import { Sides } from '../components/sides.tsx'
import { describeScored, VerdictPanel, VerdictTag } from '../components/verdictMark.tsx'
import { formatAge, formatDate, formatTime, formatUsd, plural } from '../format.ts'
import { findHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cardPath, focusPath, hostFeedPath, ownerPath, profilePath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'
import { Findings } from './findings.tsx'
import { firstExpiry, isRotating, loadRecord, loadVerdict, type ProfileView } from './loadProfile.ts'
import { type MainReason, readMainReason } from './mainReason.ts'
import { Record } from './record.tsx'

/** Creates the trust profile of a host: a page, or the contract's `Profile` for clients that ask for JSON. */
export function createProfilePage(deps: PageDeps): Page {
  return {
    path: '/services/:host',
    isShared: true,
    handler: async ({ params, search, accepts }: PageRequest) => {
      const summary = await findHost(deps, params.host)
      const now = deps.clock.now()
      const expiresAt = firstExpiry(summary, now)
      if (accepts === 'json') return answerJson(describeProfile(summary, now), { expiresAt })
      const wanted = readParameter(search, 'endpoint')
      if (wanted !== undefined && summary.endpoints.every(({ endpoint }) => endpoint !== wanted))
        return answerSeeOther(`/?q=${encodeURIComponent(wanted)}`)
      const verdict = await loadVerdict(deps, summary, wanted)
      const reason = await readMainReason(deps.store, verdict)
      const view = { ...verdict, ...(await loadRecord(deps, verdict)) }
      return answerHtml(<ProfileDocument view={view} deps={deps} reason={reason} />, { expiresAt })
    },
  }
}

type PartProps = { readonly view: ProfileView; readonly deps: PageDeps }

function ProfileDocument({ view, deps, reason }: PartProps & { readonly reason: MainReason }) {
  const { profile, events, claims, disputes, now } = view
  const host = cleanText(profile.host, 80)
  const feed = hostFeedPath(profile.host)
  const { verdict, trustScore: score, overruledBy } = profile
  const judged = { verdict, score, overruledBy }
  return (
    <Layout
      title={`${host}: ${describeScored(judged)}`}
      description={reason.text}
      path={profilePath(profile.host)}
      publicUrl={deps.publicUrl}
      operator={deps.operator}
      card={cardPath(profilePath(profile.host))}
      feeds={[{ href: feed, title: host }]}
    >
      <VerdictPanel
        {...judged}
        subject={<HostName host={profile.host} max={300} />}
        sentence={reason.text}
        details={describeAge(view)}
      >
        {reason.sides.length > 0 && <Sides sides={reason.sides} />}
        <Terms view={view} />
      </VerdictPanel>
      <p class="small yours">
        Is this yours?{' '}
        <a href={ownerPath(profile.host)}>Claim it, check it now, announce a receiver or dispute</a>.
        {claims.slice(0, 1).map(({ since }) => ` Claimed since ${formatDate(since)}.`)}
      </p>
      <div class="columns">
        <div class="stack">
          <Findings view={view} contact={deps.operator.contact} />
          <Record view={view} />
          {view.endpoints.length > 1 && <Endpoints view={view} />}
          <Panel id="history" title="Incidents and changes" extra={<a href={feed}>Follow by RSS</a>}>
            {events.length === 0 && <p class="empty">None so far.</p>}
            <EventList events={events} now={now} />
          </Panel>
          <DisputePanel disputes={disputes} now={now} />
        </div>
        <div class="stack">
          {verdict !== 'avoid' && <Guard view={view} deps={deps} />}
          <Proof view={view} deps={deps} />
        </div>
      </div>
    </Layout>
  )
}

/** Describes when the host was measured, and when the verdict expires. */
function describeAge({ endpoints, now }: ProfileView): string {
  const newest = (key: 'lastChecked' | 'confirmedAt' | 'expiresAt') =>
    Math.max(0, ...endpoints.map(({ state }) => state[key] ?? 0))
  const [asked, measured, expires] = [newest('lastChecked'), newest('confirmedAt'), newest('expiresAt')]
  if (asked === 0) return 'Not measured yet'
  if (measured === 0) return `Asked ${formatAge(asked, now)}; nothing could be measured`
  return `Measured ${formatAge(measured, now)}${expires > now ? `, stands until ${formatTime(expires)}` : ''}`
}

/** Terms of the endpoint in focus; none while it does not answer. */
function Terms({ view: { focus, days, endpoints, profile } }: { view: ProfileView }) {
  const { state, status } = focus
  const { network, payTo, terms, listings } = state
  if (network === null || payTo === null) return null
  const isLive = status === 'live'
  const asset = terms.find((term) => term.network === network)?.asset ?? ''
  const latency = isLive ? days.findLast(({ latencyMsP50 }) => latencyMsP50 !== null) : undefined
  const sold =
    listings.find(({ ownClaim, title }) => ownClaim && title) ?? listings.find(({ title }) => title)
  const receiver = <Address value={payTo} network={network} />
  const facts = [
    { term: 'Price', text: formatUsd(state.priceUsd) },
    { term: 'Receiver', text: isRotating(state) ? 'a new one for each request' : receiver },
    { term: 'Network', text: <Seller text={findKnownNetwork(network)?.label ?? network} max={48} /> },
    { term: 'Asset', text: isCanonicalUsdc(network, asset) ? 'USDC' : <Address value={asset || '–'} /> },
    { term: 'Latency', text: latency === undefined ? '–' : `${latency.latencyMsP50} ms` },
    { term: 'Sells', text: <Seller text={sold?.title ?? 'not described'} max={60} /> },
  ]
  const path = `${cleanText(state.method, 12)} ${cleanText(new URL(state.endpoint).pathname, 48)}`
  const answered = days.findLast(({ up }) => up > 0)
  const date = answered === undefined ? '' : `${formatDate(Date.parse(answered.date))}, `
  const range = endpoints.length > 1 ? `; ${profile.pricePerCall} at its live endpoints` : ''
  return (
    <>
      <p class="apart small">
        {isLive
          ? `Asks for now at ${path}${range}`
          : `Asks for nothing now. When it last answered, ${date}${path}`}
      </p>
      <Definitions class={isLive ? 'facts' : 'facts muted'} list={facts} />
    </>
  )
}

/** The first endpoints of the host, and the number of the others. */
function Endpoints({ view: { endpoints, shown, host } }: { view: ProfileView }) {
  const others = endpoints.length - shown.length
  return (
    <Panel id="endpoints" title="Endpoints">
      <ul class="evidence">
        {shown.map(({ state: { endpoint, method, priceUsd }, verdict, status, darkSince }) => (
          <li>
            <VerdictTag verdict={verdict} /> {cleanText(method, 12)}{' '}
            <a href={focusPath(host, endpoint)}>
              <EndpointName url={endpoint} />
            </a>{' '}
            {status === 'live' ? formatUsd(priceUsd) : 'asks for nothing'} {status}
            {darkSince !== null && ` since ${formatDate(Date.parse(darkSince))}`}
          </li>
        ))}
      </ul>
      {others > 0 && (
        <p class="muted small">
          {plural(others, 'more endpoint')}: <a href={`${profilePath(host)}.json`}>the profile as JSON</a>{' '}
          holds all.
        </p>
      )}
    </Panel>
  )
}

/** How to pay with a guard. */
function Guard({ view: { focus }, deps: { publicUrl } }: PartProps) {
  const { endpoint, method, terms } = focus.state
  const verb = cleanText(method, 12)
  const init = verb === 'GET' ? '' : `, { method: ${JSON.stringify(verb)}, body: JSON.stringify(input) }`
  const code = `import { createGuardedFetch } from '@touchstone402/guard/fetch'

const pay = createGuardedFetch({
  account,
  service: { url: '${publicUrl}' },
})
await pay(${JSON.stringify(endpoint)}${init})`
  return (
    <Panel id="guard" title="Pay safely with the guard">
      <p>
        {terms.length > 0
          ? 'Refuses to sign a payment whose receiver, price or network differs from what was measured here.'
          : 'Without a recent measurement it pays small amounts only, within limits that you set.'}
      </p>
      <Snippet label="Guard" code={code} />
    </Panel>
  )
}

/** Commands that verify the page. */
function Proof({ view: { profile, focus, findings }, deps }: PartProps) {
  const { state, logIndex } = focus
  const asked = encodeURIComponent(state.endpoint)
  return (
    <Panel id="proof" title="Check it yourself">
      {findings.length === 0 && <Recipe state={state} contact={deps.operator.contact} />}
      <CheckButton fields={{ url: state.endpoint }} label="Check now" />
      <p>
        {profile.notice} It costs {formatUsd(Number(deps.prices.trust))}:{' '}
        <code class="endpoint">GET {`${deps.publicUrl}${OPERATIONS.trust.path}?endpoint=${asked}`}</code>
      </p>
      <p>
        {logIndex == null ? (
          'Not in the log yet'
        ) : (
          <a href={`/log/leaves/${logIndex}`}>Log entry {logIndex}</a>
        )}
        {' · '}
        <a href="/methodology">Score {profile.scoreVersion}</a> ·{' '}
        <a href={`${profilePath(profile.host)}.json`}>JSON</a>
      </p>
    </Panel>
  )
}
