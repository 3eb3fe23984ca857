import { describeProfile } from '../../domain/publish/profile.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { ChangeList, IncidentList } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { describeScored } from '../components/score.tsx'
import { readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { hostFeedPaths, profilePath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'
import { BadgeSnippet, GuardSnippet, Notice, OwnerActions } from './aside.tsx'
import { Endpoints } from './endpoints.tsx'
import { Findings } from './findings.tsx'
import { Hero } from './hero.tsx'
import { firstExpiry, loadProfile, type ProfileView } from './loadProfile.ts'
import { Record } from './record.tsx'
import { ScoreSum } from './scoreSum.tsx'
import { summarizeVerdict } from './sentence.ts'
import { Terms } from './terms.tsx'
import { UnknownHost } from './unknownHost.tsx'

/** Creates the trust profile of a host: a page, or the contract's `Profile` for clients that ask for JSON. */
export function createProfilePage(deps: PageDeps): Page {
  return {
    path: '/services/:host',
    handler: async ({ params, search, accepts }: PageRequest) => {
      const asked = params.host ?? ''
      const host = readHost(asked)
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
        return answerHtml(<UnknownHost deps={deps} asked={asked} host={host} />, { status: 404 })
      }
      const expiresAt = firstExpiry(summary, view.now)
      return answerHtml(<ProfileDocument view={view} deps={deps} />, { expiresAt })
    },
  }
}

function ProfileDocument({ view, deps }: { view: ProfileView; deps: PageDeps }) {
  const { profile, incidents, changes, now } = view
  const title = cleanText(profile.host, 80)
  const feeds = hostFeedPaths(profile.host)
  return (
    <Layout
      title={`${title}: ${describeScored(profile)}`}
      description={summarizeVerdict(view)}
      path={profilePath(profile.host)}
      publicUrl={deps.publicUrl}
      feeds={Object.values(feeds).map((href) => ({ href, title }))}
    >
      <Hero view={view} />
      <Notice view={view} deps={deps} />
      <div class="columns profile">
        <div class="stack">
          <Findings view={view} />
          <Endpoints view={view} />
          <Record view={view} />
          <Terms view={view} />
          <GuardSnippet view={view} deps={deps} />
          <Panel id="history" title="Incidents and changes" extra={<a href={feeds.rss}>Follow by RSS</a>}>
            {incidents.length + changes.length === 0 && <p class="empty">None so far.</p>}
            {incidents.length > 0 && <IncidentList items={incidents} now={now} />}
            {changes.length > 0 && (
              <>
                <h3>Changes</h3>
                <ChangeList items={changes} now={now} />
              </>
            )}
          </Panel>
        </div>
        <div class="stack">
          <ScoreSum view={view} />
          <BadgeSnippet view={view} deps={deps} />
          <OwnerActions view={view} deps={deps} />
        </div>
      </div>
    </Layout>
  )
}
