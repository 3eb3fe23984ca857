import { OPERATIONS } from '@touchstone402/shared'
import { DAY, toDate } from '../../facts/times.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { describeProfile } from '../../publish/profile.ts'
import { answerHtml, answerJson, answerSeeOther } from '../answerHtml.tsx'
import { CheckButton } from '../components/checkForm.tsx'
import { DisputePanel } from '../components/disputes.tsx'
import { EventList } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { HostName, Moment, Snippet } from '../components/prose.tsx'
import { Recipe } from '../components/recipe.tsx'
import { ReplyPanel } from '../components/reply.tsx'
import { Sides } from '../components/sides.tsx'
import { describeScored, VerdictPanel } from '../components/verdictMark.tsx'
import { formatTime, formatUsd } from '../format.ts'
import { findHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cardPath, hostFeedPath, LOG_PATH, ownerPath, profilePath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { cleanText, quoteShell } from '../text.ts'
import { Endpoints, type EndpointsView, readEndpointsView } from './endpoints.tsx'
import { EventBlocks } from './eventBlocks.tsx'
import { placeUnder } from './events.ts'
import { ProfileGrid } from './grid.tsx'
import { firstExpiry, loadRecord, loadVerdict, type ProfileView } from './loadProfile.ts'
import { type MainReason, readMainReason } from './mainReason.ts'
import { Record, ScoreParts } from './record.tsx'
import { TimelinePanel } from './timelinePanel.tsx'

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
      const [reason, record] = await Promise.all([
        readMainReason(deps.store, verdict),
        loadRecord(deps, verdict),
      ])
      const view = { ...verdict, ...record }
      const table = readEndpointsView(search)
      const page = <ProfileDocument view={view} deps={deps} reason={reason} table={table} />
      // A verdict, and what the owner says to it, is shown as it is now; by its ETag an equal page costs no transfer.
      return answerHtml(page, { expiresAt, maxAgeSeconds: 0 })
    },
  }
}

type PartProps = { readonly view: ProfileView; readonly deps: PageDeps }

type DocumentProps = PartProps & { readonly reason: MainReason; readonly table: EndpointsView }

function ProfileDocument({ view, deps, reason, table }: DocumentProps) {
  const { profile, events, over, claims, disputes, replies, now, focus } = view
  const host = cleanText(profile.host, 80)
  const feed = hostFeedPath(profile.host)
  const { verdict, trustScore: score, overruledBy } = profile
  const judged = { verdict, score, overruledBy }
  const said = placeUnder(events, replies)
  return (
    <Layout
      title={`${host}: ${describeScored(judged)}`}
      description={reason.text}
      path={profilePath(profile.host)}
      config={deps.config}
      card={cardPath(profilePath(profile.host))}
      feeds={[{ href: feed, title: host }]}
    >
      <VerdictPanel
        {...judged}
        subject={<HostName host={profile.host} max={300} />}
        sentence={reason.text}
        details={describeMeasured(view)}
      >
        {reason.sides.length > 0 && <Sides sides={reason.sides} />}
        <ProfileGrid {...view} />
      </VerdictPanel>
      <p class="small yours">
        Is this yours? <a href={ownerPath(profile.host)}>Claim it, reply, announce a receiver or dispute</a>.
        {claims.slice(0, 1).map(({ since }) => ` Claimed since ${toDate(since)}.`)}
      </p>
      <div class="stack">
        <TimelinePanel view={view} />
        <Endpoints host={view.host} rows={profile.endpoints} view={table} focus={focus.state.endpoint} />
        <EventBlocks view={view} deps={deps} said={said.under} />
        <ScoreParts view={view} />
        <Record view={view} />
        <Panel id="history" title="Earlier events" extra={<a href={feed}>Follow by RSS</a>}>
          {over.length === 0 && <p class="empty">None so far.</p>}
          <EventList events={over} now={now} />
        </Panel>
        <ReplyPanel replies={said.left} />
        <DisputePanel disputes={disputes} now={now} />
        <div class="pair">
          <Proof view={view} deps={deps} />
          {verdict !== 'avoid' && <Guard view={view} deps={deps} />}
        </div>
      </div>
    </Layout>
  )
}

/** Describes when the host was measured, how long the verdict stands, and by which specification. */
function describeMeasured({ endpoints, now, profile }: ProfileView) {
  const newest = (key: 'lastChecked' | 'confirmedAt' | 'expiresAt') =>
    Math.max(0, ...endpoints.map(({ state }) => state[key] ?? 0))
  const [asked, measured, expires] = [newest('lastChecked'), newest('confirmedAt'), newest('expiresAt')]
  if (asked === 0) return 'Not measured yet'
  return (
    <>
      {measured === 0 ? 'Asked' : 'Measured'} <Moment at={measured || asked} now={now} />
      {measured === 0 && '; nothing could be measured'}
      {measured > 0 && expires > now && ` · stands until ${formatTime(expires)}`} · score{' '}
      {profile.scoreVersion}
    </>
  )
}

/** How to pay with a guard. */
function Guard({ view: { focus }, deps: { config } }: PartProps) {
  const { endpoint, method, terms } = focus.state
  const verb = cleanText(method, 12)
  const init = verb === 'GET' ? '' : `, { method: ${JSON.stringify(verb)}, body: JSON.stringify(input) }`
  const code = `import { createGuardedFetch } from '@touchstone402/guard/fetch'

const pay = createGuardedFetch({
  account,
  service: { url: '${config.publicUrl}' },
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

/** How to check the page: by a live check, by the probes behind it, or by hand. */
function Proof({ view: { profile, focus, findings }, deps }: PartProps) {
  const { state, logIndex } = focus
  const { publicUrl, prices, operator } = deps.config
  const asked = encodeURIComponent(state.endpoint)
  const published = toDate((state.lastChecked ?? 0) + 2 * DAY)
  return (
    <Panel id="proof" title="Check it yourself">
      {findings.length === 0 && <Recipe state={state} contact={operator.contact} />}
      <CheckButton fields={{ url: state.endpoint }} label="Re-check now" />
      <p>
        The live check costs {formatUsd(Number(prices.trust))}:{' '}
        <code class="endpoint">GET {`${publicUrl}${OPERATIONS.trust.path}?endpoint=${asked}`}</code>
      </p>
      {logIndex != null && (
        <>
          <p>
            From {published} on, when the last probe is public, this command recomputes the verdict from the
            published probes. KEY is the <a href={LOG_PATH}>public key of the log</a>.
          </p>
          <Snippet
            label="Command that recomputes the verdict"
            code={`touchstone-server log recompute ${quoteShell(state.endpoint)} --service ${publicUrl} --key KEY`}
          />
        </>
      )}
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
