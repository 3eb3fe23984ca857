import type { Flag, Profile } from '@touchstone402/shared'
import type { Observation, Time } from '../../domain/facts/facts.ts'
import { FLAG_SPECS } from '../../domain/judge/spec.ts'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Measured } from '../components/prose.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { LookLink, Sides } from '../evidence/sidesView.tsx'
import { plural } from '../format.ts'
import { incidentPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { type Finding, SHOWN_EVIDENCE } from './groupFindings.ts'
import type { ProfileView } from './loadProfile.ts'

const VERDICT_OF = { critical: 'avoid', warn: 'caution', info: 'unknown' } as const
const SHOWN_ENDPOINTS = 5
const MAX_MESSAGE = 1000

/** Fixes for findings that are not flags. */
const STATUS_FIXES: Readonly<Record<string, string>> = {
  dark: 'Bring the endpoint back, or remove it from the directories that list it.',
  invalid: 'Answer unpaid calls with status 402 and a well-formed challenge in the header or body.',
  degraded: 'Nothing yet: the next probe, from another client, decides.',
  receiver_unconfirmed: 'If the receiver is yours, announce it with a signature by the old one.',
  refused: 'Let unpaid calls of the prober through, whichever address they come from.',
}

/** Reasons for the verdict, each with its evidence and a fix. */
export function Findings({ view }: { view: ProfileView }) {
  const { findings } = view
  return (
    <Panel id="why" title="Why this verdict">
      {findings.length === 0 && <NoFindings profile={view.profile} />}
      {findings.map((finding) => (
        <FindingCard finding={finding} view={view} />
      ))}
    </Panel>
  )
}

function NoFindings({ profile: { verdict, probes } }: { profile: Profile }) {
  if (verdict === 'unknown') return <p class="empty">No findings, but no recent measurement either.</p>
  return (
    <p class="clean v-safe">
      <VerdictMark verdict="safe" />
      <span>
        Every probe checks for {Object.keys(FLAG_SPECS).length} kinds of finding; none was found in{' '}
        {plural(probes, 'probe')}.
      </span>
    </p>
  )
}

function FindingCard({ finding, view }: { finding: Finding; view: ProfileView }) {
  const { code, severity, message, evidence, endpoints } = finding
  const flag = isFlag(code) ? FLAG_SPECS[code] : undefined
  const fix = flag?.fix ?? STATUS_FIXES[code]
  const verdict = VERDICT_OF[severity]
  const isShared = view.endpoints.length > 1
  return (
    <article class={`finding v-${verdict}`}>
      <h3>
        <VerdictMark verdict={verdict} symbol={severity === 'info' ? 'info' : verdict} />
        <Measured text={message} max={MAX_MESSAGE} />
      </h3>
      <p class="chips">
        {flag ? (
          <a class="chip mono" href={`/methodology#flag-${code}`}>
            {code}
          </a>
        ) : (
          <code class="chip mono">{code}</code>
        )}
        <span class="chip">{flag ? `${flag.risk} risk` : severity}</span>
        {isShared && (
          <span class="chip">
            {endpoints.length} of{' '}
            {view.endpoints.length > view.shown.length
              ? `the ${view.shown.length} endpoints shown`
              : plural(view.endpoints.length, 'endpoint')}
          </span>
        )}
      </p>
      {fix !== undefined && (
        <p class="fix">
          <b>Fix:</b> {fix}
        </p>
      )}
      <Sides sides={view.sides.get(code) ?? []} now={view.now} cited={evidence.map(({ id }) => id)} />
      {(evidence.length > 0 || isShared) && (
        <details>
          <summary>
            {evidence.length > 0 ? `Evidence: ${plural(evidence.length, 'record')}` : 'Where'}
          </summary>
          <ul class="evidence">
            {evidence.slice(0, SHOWN_EVIDENCE).map(({ id }) => (
              <EvidenceLine id={id} look={view.observations.get(id)} now={view.now} />
            ))}
            {evidence.length > SHOWN_EVIDENCE && (
              <li class="muted">and {evidence.length - SHOWN_EVIDENCE} more</li>
            )}
            {isShared &&
              endpoints.slice(0, SHOWN_ENDPOINTS).map((endpoint) => (
                <li>
                  at <EndpointName url={endpoint} />
                </li>
              ))}
          </ul>
        </details>
      )}
    </article>
  )
}

type LineProps = { readonly id: string; readonly look: Observation | undefined; readonly now: Time }

function EvidenceLine({ id, look, now }: LineProps) {
  if (look === undefined)
    return (
      <li>
        {id.startsWith('inc_') ? (
          <a href={incidentPath(id)}>Incident {cleanText(id, 60)}</a>
        ) : (
          <code>{cleanText(id, 60)}</code>
        )}
      </li>
    )
  return (
    <li>
      <LookLink look={look} now={now} isCited />
      <span class="muted">
        {', '}
        {cleanText(look.method, 12)}{' '}
        {look.httpStatus === null ? look.cause.replaceAll('_', ' ') : `answered ${look.httpStatus}`}
      </span>
    </li>
  )
}

const isFlag = (code: string): code is Flag => Object.hasOwn(FLAG_SPECS, code)
