import { VERDICT_LABELS } from '@touchstone402/shared'
import { STACKS } from '@touchstone402/shared/scan'
import type { ScanFailure, ScanRecord, ScanResult } from '../../scans/scanRecord.ts'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Moment, Snippet } from '../components/prose.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import { plural } from '../format.ts'
import { profilePath, SCANS_PATH, scanPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { FailedChecks, OtherChecks } from './scanChecks.tsx'
import { ScanForm } from './scanForm.tsx'

const FAILURES: Readonly<Record<ScanFailure, string>> = {
  opted_out: 'The host declines probes, so nothing was asked.',
  not_public: 'The host has no public address, or a port other than 80 and 443, so nothing was asked.',
  dns_failed: 'The host name cannot be resolved. Check the spelling.',
  own_fault: 'Nothing could be measured because of a fault on our side. Please scan again.',
  interrupted: 'The scan was interrupted. Please scan again.',
}

/** Time after which a browser loads the page of a running scan again. */
export const REFRESH_SECONDS = 2

/** Whether a scan has ended. */
export const isOver = ({ state }: ScanRecord): boolean => state === 'done' || state === 'failed'

type ScanPageProps = { readonly scan: ScanRecord; readonly ahead: number; readonly publicUrl: string }

/** A scan: its progress, or what it found. */
export function ScanPage({ scan, ahead, publicUrl }: ScanPageProps) {
  const { endpoint, result } = scan
  const name = cleanText(endpoint, 80)
  return (
    <Layout
      title={isOver(scan) ? `Scan of ${name}` : `Scanning ${name}`}
      description="A live check of one x402 endpoint: its terms, its receiver, and what to fix."
      path={scanPath(scan.id)}
      publicUrl={publicUrl}
      isUnlisted
    >
      {result === null ? (
        <Pending scan={scan} ahead={ahead} />
      ) : (
        <Result scan={scan} result={result} publicUrl={publicUrl} />
      )}
    </Layout>
  )
}

function Pending({ scan: { endpoint, state, failure }, ahead }: Pick<ScanPageProps, 'scan' | 'ahead'>) {
  const label = { queued: 'Waiting', running: 'Scanning', done: 'Scanned', failed: 'Not scanned' }[state]
  const waits = ahead === 0 ? 'Next in line.' : `${plural(ahead, 'scan')} before this one.`
  const sentence =
    failure !== null
      ? FAILURES[failure]
      : state === 'queued'
        ? waits
        : 'Asking for the terms as several clients, and reading the receiver on chain.'
  return (
    <div class="stack">
      <VerdictPanel
        verdict="unknown"
        isPage
        subject={<EndpointName url={endpoint} max={300} />}
        label={label}
        sentence={sentence}
        {...(failure === null && { details: <span>This page shows the result by itself.</span> })}
      />
      {failure === 'dns_failed' ? (
        <ScanForm url={endpoint} />
      ) : (
        failure !== null && <ScanAgain endpoint={endpoint} />
      )}
    </div>
  )
}

type ResultProps = {
  readonly scan: ScanRecord
  readonly result: ScanResult
  readonly publicUrl: string
}

function Result({ scan, result, publicUrl }: ResultProps) {
  const { endpoint, askedAt, finishedAt } = scan
  const { verdict, score, band, overruledBy, checks, method, stack } = result
  const failed = checks.filter(({ outcome }) => outcome === 'fail')
  const passed = checks.filter(({ outcome }) => outcome === 'pass')
  const { host } = new URL(endpoint)
  return (
    <>
      <VerdictPanel
        verdict={verdict}
        score={score}
        overruledBy={overruledBy}
        {...(band !== null && { note: `of 100: ${band}` })}
        isPage
        subject={<EndpointName url={endpoint} max={300} />}
        label={VERDICT_LABELS[verdict]}
        sentence={summarise(result, failed.length)}
        details={
          <>
            <span>
              Scanned <Moment at={finishedAt ?? askedAt} />, unpaid
              {method !== null && ` (${method})`}
            </span>
            <span>This link stays for 90 days.</span>
            <a href={profilePath(host)}>Profile of {cleanText(host, 80)}</a>
          </>
        }
      />
      <div class="columns">
        <div class="stack">
          <Panel
            id="checks"
            title={`${passed.length} of ${passed.length + failed.length} checks passed`}
            extra={<ScanAgain endpoint={endpoint} />}
          >
            <FailedChecks checks={failed} stack={stack} />
            <OtherChecks checks={checks} />
          </Panel>
        </div>
        <div class="stack">
          <Panel id="pipeline" title="In your pipeline">
            <Snippet
              label="GitHub Action"
              code={`- uses: touchstone402/touchstone@v1\n  with:\n    url: ${endpoint}\n    fail-on: critical`}
            />
            <Snippet label="Command" code={`npx @touchstone402/guard scan ${endpoint}`} />
          </Panel>
          <Panel id="badge" title="Badge">
            <p class="small muted">It shows the running verdict on the host, not this scan.</p>
            <Snippet
              label="Markdown"
              code={`[![x402 trust](${publicUrl}/badge/${encodeURIComponent(host)}.svg)](${publicUrl}${profilePath(host)})`}
            />
          </Panel>
          {stack !== 'unknown' && <p class="small muted">The headers show {STACKS[stack]}.</p>}
        </div>
      </div>
    </>
  )
}

function summarise({ verdict, checks }: ResultProps['result'], failed: number): string {
  const fixes = failed === 0 ? 'with nothing to fix' : `with ${plural(failed, 'thing')} to fix`
  const isHindered = checks.some(({ outcome, severity }) => outcome === 'fail' && severity === 'critical')
  if (verdict === 'safe') {
    return isHindered
      ? `Nothing speaks against paying this, but agents may fail to: ${plural(failed, 'thing')} to fix.`
      : `Agents can pay this, ${fixes}.`
  }
  const isUnread = checks.some(({ id, outcome }) => id === 'no_challenge' && outcome === 'fail')
  if (isUnread) return 'Agents cannot pay this: it does not ask for payment in a form that they read.'
  if (verdict === 'unknown') return `There is no verdict yet, ${fixes}.`
  return verdict === 'caution'
    ? `Agents ask before they pay this, ${fixes}.`
    : `Agents should not pay this, ${fixes}.`
}

function ScanAgain({ endpoint }: { readonly endpoint: string }) {
  return (
    <form action={SCANS_PATH} method="post">
      <input type="hidden" name="url" value={endpoint} />
      <button class="act" type="submit">
        Scan again
      </button>
    </form>
  )
}
