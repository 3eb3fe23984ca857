import { addressProof } from '../../domain/facts/explorer.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { EventList } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { describeScored } from '../components/score.tsx'
import { CheckYourself } from '../evidence/checkYourself.tsx'
import { readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cardPath, hostFeedPath, profilePath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { ClaimedBy } from '../seller/claims/claimedBy.tsx'
import { DisputePanel } from '../seller/disputes/disputeList.tsx'
import { readStanding, type Standing } from '../seller/disputes/readStanding.ts'
import { IsThisYours } from '../seller/isThisYours.tsx'
import { cleanText } from '../text.ts'
import { BadgeSnippet, GuardSnippet, Notice } from './aside.tsx'
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
    hasJson: true,
    isShared: true,
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
      const standing = await readStanding(deps, view.host)
      return answerHtml(<ProfileDocument view={view} deps={deps} standing={standing} />, { expiresAt })
    },
  }
}

type DocumentProps = { readonly view: ProfileView; readonly deps: PageDeps; readonly standing: Standing }

function ProfileDocument({ view, deps, standing }: DocumentProps) {
  const { profile, incidents, changes, now } = view
  const title = cleanText(profile.host, 80)
  const isMarkedDown = profile.verdict === 'avoid' || profile.verdict === 'caution'
  return (
    <Layout
      title={`${title}: ${describeScored(profile)}`}
      description={summarizeVerdict(view)}
      path={profilePath(profile.host)}
      publicUrl={deps.publicUrl}
      card={cardPath(profilePath(profile.host))}
      feeds={[{ href: hostFeedPath(profile.host), title }]}
    >
      <Hero view={view} />
      <ClaimedBy claims={standing.claims} />
      {isMarkedDown && <IsThisYours view={view} deps={deps} isFirst />}
      <Notice view={view} deps={deps} />
      <div class="columns profile">
        <div class="stack">
          <Findings view={view} />
          <DisputePanel disputes={standing.disputes} now={now} />
          <Endpoints view={view} />
          <Record view={view} />
          <Terms view={view} />
          <Panel
            id="history"
            title="Incidents and changes"
            extra={<a href={hostFeedPath(profile.host)}>Follow by RSS</a>}
          >
            {incidents.length + changes.length === 0 && (
              <p class="empty">None so far. Each will be listed here, with its evidence.</p>
            )}
            {incidents.length > 0 && <EventList events={incidents} now={now} />}
            {changes.length > 0 && (
              <>
                <h3>Changes</h3>
                <EventList events={changes} now={now} />
              </>
            )}
          </Panel>
        </div>
        <div class="stack">
          <ScoreSum view={view} />
          <GuardSnippet view={view} deps={deps} />
          <CheckYourself {...checkOf(view)} />
          <BadgeSnippet view={view} deps={deps} />
          {!isMarkedDown && <IsThisYours view={view} deps={deps} />}
        </div>
      </div>
    </Layout>
  )
}

function checkOf({ focus: { state } }: ProfileView) {
  const { method, endpoint, network, payTo } = state
  const explorerUrl =
    network === null || payTo === null ? undefined : addressProof(network, payTo, null).explorerUrl
  return { method, endpoint, explorerUrl }
}
