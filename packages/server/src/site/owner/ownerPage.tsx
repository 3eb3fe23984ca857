import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { HostName } from '../components/prose.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { ownerPath, profilePath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { Announce } from './announce.tsx'
import { Claim } from './claim.tsx'
import { Badge, CheckNow, Webhooks } from './follow.tsx'
import { Fund } from './fund.tsx'
import { Problems } from './problemList.tsx'
import type { OwnerView } from './readView.ts'
import { Disputes, Replies } from './statements.tsx'

type OwnerPageProps = { readonly view: OwnerView; readonly deps: PageDeps }

/** The page of a host's owner, in three steps. */
export function OwnerPage({ view, deps }: OwnerPageProps) {
  const { host, isListed } = view
  return (
    <Layout
      title={`Owner of ${cleanText(host, 80)}`}
      description="Claim a host, announce a receiver, reply to a finding or dispute it, check the host now, and get alerts."
      path={ownerPath(host)}
      config={deps.config}
      isUnlisted
    >
      <h1>
        Is <HostName host={host} max={120} /> yours?
      </h1>
      <p class="lede">
        Three steps, one secret. Replies, disputes and alerts need your claim; an announcement and a check do
        not. {isListed && <a href={profilePath(host)}>Profile</a>}
      </p>
      <div class="stack">
        {view.problems.length > 0 && <Problems view={view} />}
        <Panel id="claims" title="1. Claim your host">
          <Claim view={view} />
        </Panel>
        <Panel id="answer" title="2. Answer a finding">
          <Announce view={view} />
          <Replies view={view} />
          <Disputes view={view} promiseDays={deps.config.disputeDays} />
          {view.funding.length > 0 && <Fund view={view} />}
        </Panel>
        <Panel id="follow" title="3. Check, follow, show">
          <CheckNow view={view} />
          <Webhooks view={view} />
          <Badge view={view} publicUrl={deps.config.publicUrl} />
        </Panel>
      </div>
    </Layout>
  )
}
