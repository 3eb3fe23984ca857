import { findKnownNetwork, isCanonicalUsdc } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import { breakDownScore, scoreInputOf } from '../../domain/judge/scoreParts.ts'
import { isOverruled } from '../../domain/publish/overruled.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import type { Dispute } from '../../owners/createDisputes.ts'
import type { HostClaim } from '../../owners/hostClaim.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { CheckForm } from '../components/checkForm.tsx'
import { DisputePanel } from '../components/disputes.tsx'
import { EventList } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Definitions, Panel } from '../components/panel.tsx'
import { Address, Day, EndpointName, Moment, Seller, Snippet } from '../components/prose.tsx'
import { Recipe, type RecipeOf } from '../components/recipe.tsx'
import { describeScored, Score } from '../components/score.tsx'
import { Sides } from '../components/sides.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import { formatAge, formatPoints, formatUsd, plural } from '../format.ts'
import { readHost } from '../hostName.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import {
  cardPath,
  focusPath,
  hostFeedPath,
  leafPath,
  liveCheckUrl,
  ownerPath,
  profilePath,
} from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'
import { Findings } from './findings.tsx'
import { firstExpiry, loadProfile, type ProfileView } from './loadProfile.ts'
import { type MainReason, readMainReason } from './mainReason.ts'
import { Record } from './record.tsx'

/** Creates the trust profile of a host: a page, or the contract's `Profile` for clients that ask for JSON. */
export function createProfilePage(deps: PageDeps): Page {
  return {
    path: '/services/:host',
    isShared: true,
    handler: async ({ params, search, accepts }: PageRequest) => {
      const host = readHost(params.host ?? '')
      const summary = host === undefined ? undefined : await deps.store.summary(host)
      if (accepts === 'json') {
        if (summary === undefined) {
          throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
        }
        const now = deps.clock.now()
        return answerJson(describeProfile(summary, now), { expiresAt: firstExpiry(summary, now) })
      }
      const view = summary && (await loadProfile(deps, summary, readParameter(search, 'endpoint')))
      if (summary === undefined || view === undefined) {
        return answerHtml(<UnknownHost deps={deps} host={host} />, { status: 404 })
      }
      const [reason, claims = [], disputes = []] = await Promise.all([
        readMainReason(deps.store, view),
        deps.hostClaims?.of(view.host),
        deps.disputes?.published(view.host),
      ])
      return answerHtml(<ProfileDocument {...{ view, deps, reason, claims, disputes }} />, {
        expiresAt: firstExpiry(summary, view.now),
      })
    },
  }
}

type PartProps = { readonly view: ProfileView; readonly deps: PageDeps }
type DocumentProps = PartProps & {
  readonly reason: MainReason
  readonly claims: readonly HostClaim[]
  readonly disputes: readonly Dispute[]
}

function ProfileDocument({ view, deps, reason, claims, disputes }: DocumentProps) {
  const { profile, incidents, changes, now } = view
  const host = cleanText(profile.host, 80)
  const feed = hostFeedPath(profile.host)
  return (
    <Layout
      title={`${host}: ${describeScored(profile)}`}
      description={reason.text}
      path={profilePath(profile.host)}
      publicUrl={deps.publicUrl}
      operator={deps.operator}
      card={cardPath(profilePath(profile.host))}
      feeds={[{ href: feed, title: host }]}
    >
      <VerdictPanel
        verdict={profile.verdict}
        score={profile.trustScore}
        overruledBy={profile.overruledBy}
        isPage
        subject={<Seller text={profile.host} max={300} />}
        label={profile.label}
        sentence={reason.text}
        details={<AsOf view={view} />}
      >
        {reason.sides.length > 0 && <Sides sides={reason.sides} />}
        <Terms view={view} />
      </VerdictPanel>
      <p class="small yours">
        Is this yours?{' '}
        <a href={ownerPath(profile.host)}>Claim it, check it now, announce a receiver or dispute</a>.
        {claims.slice(0, 1).map(({ since }) => (
          <>
            {' '}
            Claimed since <Day at={since} />.
          </>
        ))}
      </p>
      <div class="columns">
        <div class="stack">
          <Findings view={view} contact={deps.operator.contact} />
          <Record view={view} />
          <Endpoints view={view} />
          <Announced view={view} />
          <Panel id="history" title="Incidents and changes" extra={<a href={feed}>Follow by RSS</a>}>
            {incidents.length + changes.length === 0 && <p class="empty">None so far.</p>}
            <EventList events={[...incidents, ...changes]} now={now} />
          </Panel>
          <DisputePanel disputes={disputes} now={now} />
        </div>
        <div class="stack">
          <Facts view={view} />
          <Panel
            id="reproduce"
            title={view.profile.verdict === 'safe' ? 'Check it yourself' : 'Reproduce it'}
          >
            <Recipe {...recipeOf(view)} contact={deps.operator.contact} />
          </Panel>
          <Use view={view} deps={deps} />
        </div>
      </div>
    </Layout>
  )
}

/** Returns the recipe of the worst finding at the endpoint in focus. */
function recipeOf({ focus: { state }, findings, observations }: ProfileView): RecipeOf {
  const worst = findings.find(({ states }) => states.includes(state))
  const looks = worst?.evidence.flatMap(({ id }) => observations.get(id) ?? []) ?? []
  return { ...(worst && { code: worst.code }), state, looks }
}

/** When the host was measured, and until when the verdict stands. */
function AsOf({ view: { endpoints, now } }: { view: ProfileView }) {
  const checked = Math.max(0, ...endpoints.map(({ state }) => state.lastChecked ?? 0))
  const expires = Math.max(0, ...endpoints.map(({ state }) => state.expiresAt ?? 0))
  if (checked === 0) return <>Not measured yet</>
  return (
    <>
      Measured <time dateTime={new Date(checked).toISOString()}>{formatAge(checked, now)}</time>
      {expires > now && (
        <>
          , stands until <Moment at={expires} />
        </>
      )}
    </>
  )
}

/** What the endpoint in focus asks for; one that does not answer asks for nothing now. */
function Terms({ view: { focus, days, endpoints, profile } }: { view: ProfileView }) {
  const { state, status } = focus
  const { network, payTo, terms, listings } = state
  if (network === null || payTo === null) return null
  const isLive = status === 'live'
  const asset = terms.find((term) => term.network === network)?.asset ?? ''
  const latency = isLive ? days.findLast(({ latencyMsP50 }) => latencyMsP50 !== null) : undefined
  const sold =
    listings.find(({ ownClaim, title }) => ownClaim && title) ?? listings.find(({ title }) => title)
  const facts: Readonly<Record<string, ComponentChild>> = {
    Price: formatUsd(state.priceUsd),
    Receiver: <Address value={payTo} network={network} />,
    Network: <Seller text={findKnownNetwork(network)?.label ?? network} max={48} />,
    Asset: isCanonicalUsdc(network, asset) ? 'USDC' : <Address value={asset || '–'} />,
    Latency: latency === undefined ? '–' : `${latency.latencyMsP50} ms`,
    Sells: <Seller text={sold?.title ?? 'not described'} max={60} />,
  }
  const answeredAt = days.findLast(({ up }) => up > 0)?.date
  return (
    <>
      <p class="apart small">
        {isLive ? 'Asks for now at ' : 'Asks for nothing now. When it last answered, '}
        {!isLive && answeredAt !== undefined && (
          <>
            <Day at={answeredAt} />,{' '}
          </>
        )}
        {cleanText(state.method, 12)} <code>{cleanText(new URL(state.endpoint).pathname, 48)}</code>
        {isLive && endpoints.length > 1 && `; ${profile.pricePerCall} at its live endpoints`}
      </p>
      <Definitions
        class={isLive ? 'facts' : 'facts muted'}
        list={Object.entries(facts).map(([term, text]) => ({ term, text }))}
      />
    </>
  )
}

/** The remaining fields of the profile, and how the score adds up where it counts. */
function Facts({ view: { profile, focus } }: { view: ProfileView }) {
  const { score, verdict, state } = focus
  const isShown = score !== null && verdict !== 'avoid' && !isOverruled(verdict, score)
  const parts = (isShown && breakDownScore(scoreInputOf(state))) || []
  const sum = parts.filter(({ points }) => points !== 0)
  const facts: Readonly<Record<string, ComponentChild>> = {
    'Live endpoints': profile.liveness,
    'Receiver on chain': profile.receiver ?? 'not known',
    'Receiver stability': profile.receiverStability ?? 'not known',
    'Risk level': profile.riskLevel,
    Flags: profile.flags.join(', ') || 'none',
    'Listed by': <Seller text={profile.listedBy.join(', ') || 'nobody'} max={80} />,
    'First seen': <Day at={profile.firstSeen} />,
    'Last checked': profile.lastChecked === null ? 'never' : <Day at={profile.lastChecked} />,
    ...(sum.length > 0 && {
      Score: sum.map(({ name, points }) => `${name} ${formatPoints(points)}`).join(', '),
    }),
  }
  return (
    <Panel id="facts" title="Facts" isAside>
      <Definitions class="pairs" list={Object.entries(facts).map(([term, text]) => ({ term, text }))} />
    </Panel>
  )
}

/** The first endpoints of the host, and the number of the others. */
function Endpoints({ view: { endpoints, shown, host } }: { view: ProfileView }) {
  return (
    <Panel id="endpoints" title="Endpoints">
      <ul class="lines">
        {shown.map(({ state, status, darkSince, verdict, score }) => (
          <li>
            <span class="method">{cleanText(state.method, 12)}</span>{' '}
            <a href={focusPath(host, state.endpoint)}>
              <EndpointName url={state.endpoint} />
            </a>
            <p class="meta">
              <VerdictTag verdict={verdict} />
              <span>trust {<Score verdict={verdict} score={score} />}</span>
              <span>{status === 'live' ? `asks ${formatUsd(state.priceUsd)}` : 'asks for nothing'}</span>
              <span>
                {status}
                {darkSince !== null && (
                  <>
                    {' '}
                    since <Day at={darkSince} />
                  </>
                )}
              </span>
            </p>
          </li>
        ))}
      </ul>
      {endpoints.length > shown.length && (
        <p class="muted small">
          {plural(endpoints.length - shown.length, 'more endpoint')}:{' '}
          <a href={`${profilePath(host)}.json`}>the profile as JSON</a> holds all.
        </p>
      )}
    </Panel>
  )
}

const BASES = {
  signature: 'signed by the old receiver',
  funded_on_chain: 'the old receiver paid the new one before',
  receiver_proof: 'the receiver signed for this host',
}

/** Receivers that were announced or proven: no warning. Empty without any. */
function Announced({ view: { announcements } }: { view: ProfileView }) {
  if (announcements.length === 0) return null
  return (
    <Panel id="announced" title="Announced">
      <ul class="lines">
        {announcements.map(({ network, oldPayTo, newPayTo, validFrom, basis }) => (
          <li>
            {oldPayTo !== newPayTo && (
              <>
                <Address value={oldPayTo} network={network} />
                {' → '}
              </>
            )}
            <Address value={newPayTo} network={network} /> from <Day at={validFrom} /> on: {BASES[basis]}.
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** How to pay, prove and show the verdict elsewhere. */
function Use({ view: { profile, focus }, deps }: PartProps) {
  const { publicUrl } = deps
  const { endpoint, method } = focus.state
  const verb = cleanText(method, 12)
  const init = verb === 'GET' ? '' : `, { method: ${JSON.stringify(verb)}, body: JSON.stringify(input) }`
  const code = `import { createGuardedFetch } from '@touchstone402/guard/fetch'

const pay = createGuardedFetch({
  account,
  service: { url: '${publicUrl}' },
})
await pay(${JSON.stringify(endpoint)}${init})`
  const page = profilePath(profile.host)
  const badge = `/badge/${encodeURIComponent(profile.host)}.svg`
  const entry = focus.logIndex
  return (
    <>
      {profile.verdict !== 'avoid' && (
        <Panel id="guard" title="Pay safely with the guard" isAside>
          <p>
            Refuses to sign a payment whose receiver, price or network differs from what was measured here.
          </p>
          <Snippet label="Guard" code={code} />
        </Panel>
      )}
      <Panel id="proof" title="Proof and badge" isAside>
        <p>
          {profile.notice} It costs {formatUsd(liveCheckPrice(deps))}:{' '}
          <code class="endpoint">GET {liveCheckUrl(publicUrl, endpoint)}</code>
        </p>
        <p>
          {entry === undefined ? 'Not in the log yet' : <a href={leafPath(entry)}>Log entry {entry}</a>} ·{' '}
          <a href="/methodology">Score {profile.scoreVersion}</a> · <a href={`${page}.json`}>JSON</a>
        </p>
        <img src={badge} alt={`Touchstone: ${profile.label}`} height={20} />
        <Snippet
          label="Badge in Markdown"
          code={`[![Touchstone](${publicUrl}${badge})](${publicUrl}${page})`}
        />
      </Panel>
    </>
  )
}

/** The page of a host that the index does not hold. Shows nothing of what was asked but the canonical host. */
function UnknownHost({ deps, host }: { readonly deps: PageDeps; readonly host: string | undefined }) {
  const name = host === undefined ? 'No host name' : cleanText(host, 255)
  return (
    <Layout
      title={`${name}: unknown`}
      description="Not measured yet."
      path="/"
      publicUrl={deps.publicUrl}
      operator={deps.operator}
      isUnlisted
    >
      <VerdictPanel
        verdict="unknown"
        isPage
        subject={<Seller text={name} max={255} />}
        label="Unknown"
        sentence="Nothing was measured here. Unknown is not safe."
      />
      <Panel id="check" title="Check it now">
        <CheckForm {...(host !== undefined && { url: `https://${name}/` })} />
      </Panel>
    </Layout>
  )
}
