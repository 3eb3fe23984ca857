import type { Page, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { ChangeList, IncidentList, profilePath } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { contactUrl } from '../contactUrl.ts'
import { hostFeedPath } from '../feeds/createFeedPages.ts'
import { FEED_TYPES } from '../feeds/writeFeed.ts'
import { readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'
import { BadgeSnippet, GuardSnippet, liveCheckPrice, Notice, Yours } from './aside.tsx'
import { Endpoints } from './endpoints.tsx'
import { Findings } from './findings.tsx'
import { Hero } from './hero.tsx'
import { firstExpiry, loadProfile, type ProfileView } from './loadProfile.ts'
import { Record } from './record.tsx'
import { ScoreSum } from './scoreSum.tsx'
import { summarizeVerdict } from './sentence.ts'
import { Terms } from './terms.tsx'
import { UnknownHost } from './unknownHost.tsx'

const SHOWN_CHANGES = 12

/** The trust profile of a host: a page, or the `Profile` of the contract for clients that ask for JSON. */
export function createProfilePage(deps: PageDeps): Page {
  return {
    path: '/services/:host',
    handler: async (request: PageRequest) => {
      const asked = request.params.host ?? ''
      const host = readHost(asked)
      const document = host === undefined ? undefined : deps.readModel.host(host)
      const view =
        document === undefined
          ? undefined
          : await loadProfile(deps, document, readParameter(request.search, 'endpoint'))
      if (document === undefined || view === undefined) {
        if (request.accepts === 'json') {
          throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
        }
        return answerHtml(<UnknownHost deps={deps} asked={asked} host={host} />, { status: 404 })
      }
      const expiresAt = firstExpiry(document, view.now)
      if (request.accepts === 'json') return answerJson(view.profile, { expiresAt })
      return answerHtml(<ProfileDocument view={view} deps={deps} />, { expiresAt })
    },
  }
}

function ProfileDocument({ view, deps }: { view: ProfileView; deps: PageDeps }) {
  const { profile, focus, facts, now } = view
  const { publicUrl } = deps
  const { endpoint } = focus.state
  const host = cleanText(profile.host, 80)
  const score = profile.trustScore === null ? '' : ` (${profile.trustScore})`
  const incidents = facts.incidents.toReversed()
  const changes = facts.changes.toReversed().slice(0, SHOWN_CHANGES)
  return (
    <Layout
      title={`${host}: ${profile.label}${score}`}
      description={summarizeVerdict(view)}
      path={profilePath(profile.host)}
      publicUrl={publicUrl}
      feeds={[
        { href: hostFeedPath(profile.host, 'rss'), type: FEED_TYPES.rss, title: host },
        { href: hostFeedPath(profile.host, 'json'), type: FEED_TYPES.json, title: host },
      ]}
    >
      <Hero view={view} />
      <Notice
        notice={profile.notice}
        price={liveCheckPrice(deps)}
        publicUrl={publicUrl}
        endpoint={endpoint}
      />
      <div class="columns profile">
        <div class="stack">
          <Findings view={view} />
          <Endpoints view={view} />
          <Record view={view} />
          <Terms view={view} />
          <GuardSnippet publicUrl={publicUrl} endpoint={endpoint} />
          <section class="panel" aria-labelledby="history">
            <div class="head">
              <h2 id="history">Incidents and changes</h2>
              <a href={hostFeedPath(profile.host, 'rss')}>Follow by RSS</a>
            </div>
            {incidents.length + changes.length === 0 && <p class="empty">None so far.</p>}
            {incidents.length > 0 && <IncidentList items={incidents.slice(0, SHOWN_CHANGES)} now={now} />}
            {changes.length > 0 && <h3>Changes</h3>}
            {changes.length > 0 && <ChangeList items={changes} now={now} />}
          </section>
        </div>
        <div class="stack">
          <ScoreSum view={view} />
          <BadgeSnippet publicUrl={publicUrl} host={profile.host} label={profile.label} />
          <Yours view={view} contact={contactUrl(deps)} canAsk={deps.recheck !== undefined} />
        </div>
      </div>
    </Layout>
  )
}
