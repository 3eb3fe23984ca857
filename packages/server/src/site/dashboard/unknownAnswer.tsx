import { type Profile, VERDICT_LABELS } from '@touchstone402/shared'
import { HostLink } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Seller } from '../components/prose.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import { formatUsd } from '../format.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { liveCheckUrl, submissionPath } from '../paths.ts'
import { ScanInput } from '../scans/scanForm.tsx'

type NotFoundProps = {
  /** Null if the query is neither a URL nor a host. */
  readonly endpoint: string | null
  readonly query: string
  readonly deps: PageDeps
}

/** A query of which nothing is known. */
export function NotFound({ endpoint, query, deps }: NotFoundProps) {
  return (
    <>
      <VerdictPanel
        verdict="unknown"
        subject={<Seller text={query} max={120} />}
        label={VERDICT_LABELS.unknown}
        sentence={
          endpoint === null
            ? 'This is no host name or URL. Try api.example.com.'
            : 'Not in the index. Unknown is not safe.'
        }
        details={endpoint !== null && <LiveCheck endpoint={endpoint} deps={deps} />}
      />
      {endpoint !== null && <FreeWays endpoint={endpoint} deps={deps} />}
    </>
  )
}

type UnseenProps = { readonly endpoint: string; readonly profile: Profile; readonly deps: PageDeps }

/** An endpoint without a measurement; the verdict on its host stands apart, since it says nothing about this endpoint. */
export function Unseen({ endpoint, profile, deps }: UnseenProps) {
  return (
    <>
      <VerdictPanel
        verdict="unknown"
        subject={<EndpointName url={endpoint} max={300} />}
        label={VERDICT_LABELS.unknown}
        sentence="Not looked at yet: nothing is known about this endpoint. Unknown is not safe."
        details={<LiveCheck endpoint={endpoint} deps={deps} />}
      >
        <p class="apart">
          The host is <VerdictTag verdict={profile.verdict} />
          {' at the endpoints that were looked at: '}
          <HostLink host={profile.host} max={160} />, {profile.liveness} live.
        </p>
      </VerdictPanel>
      <FreeWays endpoint={endpoint} deps={deps} />
    </>
  )
}

type WaysProps = { readonly endpoint: string; readonly deps: PageDeps }

/** What learns more about an endpoint without paying. */
function FreeWays({ endpoint, deps: { scans, lookSubmitted } }: WaysProps) {
  if (scans === undefined && lookSubmitted === undefined) return null
  return (
    <Panel id="free" title="Free of charge">
      {scans !== undefined && <ScanInput id="scan-found" url={endpoint} />}
      {lookSubmitted !== undefined && (
        <p class="small">
          You sell it? <a href={submissionPath(endpoint)}>Submit it</a> for its first probe, and it gets a
          profile.
        </p>
      )}
    </Panel>
  )
}

function LiveCheck({ endpoint, deps }: WaysProps) {
  return (
    <span>
      Check it now for {formatUsd(liveCheckPrice(deps))}:{' '}
      <code class="endpoint">{liveCheckUrl(deps.publicUrl, endpoint)}</code>
    </span>
  )
}
