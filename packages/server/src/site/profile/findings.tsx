import type { Flag, Reason } from '@touchstone402/shared'
import type { Observation } from '../../domain/facts/facts.ts'
import { FLAG_SPECS } from '../../domain/judge/spec.ts'
import { EndpointName, Moment } from '../components/prose.tsx'
import { Mark, VerdictMark } from '../components/verdictMark.tsx'
import { cleanText, plural } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

type Finding = Omit<Reason, 'evidence'> & { evidence: string[]; endpoints: string[] }

const VERDICT_OF = { critical: 'avoid', warn: 'caution', info: 'unknown' } as const
const MARK_OF = { critical: 'avoid', warn: 'caution', info: 'info' } as const
const WORST_FIRST: readonly Reason['severity'][] = ['critical', 'warn', 'info']
const SHOWN_EVIDENCE = 4
const SHOWN_ENDPOINTS = 5

/** What can be done about findings that are no flags. */
const STATUS_FIXES: Readonly<Record<string, string>> = {
  dark: 'Bring the endpoint back, or take it off the directories that list it.',
  invalid: 'Answer an unpaid call with status 402 and a well-formed challenge in header or body.',
  degraded: 'Nothing yet: the next look, from another client, decides.',
  receiver_unconfirmed: 'If the receiver is yours, announce it with a signature of the old one.',
}

/** Why the verdict is what it is: every finding with its evidence and how to mend it. */
export function Findings({ view }: { view: ProfileView }) {
  const findings = groupReasons(view)
  const name = 'Why this verdict'
  if (findings.length === 0) {
    return (
      <section class="panel" aria-labelledby="why">
        <h2 id="why">{name}</h2>
        {view.profile.verdict === 'unknown' ? (
          <p class="empty">
            There is no finding, and no measurement that could vouch for the service either.
          </p>
        ) : (
          <p class="clean v-safe">
            <VerdictMark verdict="safe" />
            <span>
              {Object.keys(FLAG_SPECS).length} kinds of finding are looked for at every look; none was found
              in {plural(view.profile.probes, 'probe')}.
            </span>
          </p>
        )}
      </section>
    )
  }
  return (
    <section class="panel" aria-labelledby="why">
      <h2 id="why">{name}</h2>
      {findings.map((finding) => (
        <FindingCard finding={finding} view={view} />
      ))}
    </section>
  )
}

function groupReasons({ endpoints }: ProfileView): Finding[] {
  const groups = new Map<string, Finding>()
  for (const { state } of endpoints) {
    for (const reason of state.reasons) {
      const known = groups.get(reason.code)
      if (known === undefined) {
        groups.set(reason.code, { ...reason, evidence: [...reason.evidence], endpoints: [state.endpoint] })
      } else {
        known.evidence.push(...reason.evidence)
        known.endpoints.push(state.endpoint)
      }
    }
  }
  return [...groups.values()].sort(
    (a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity),
  )
}

function FindingCard({ finding, view }: { finding: Finding; view: ProfileView }) {
  const { code, severity, message, evidence, endpoints } = finding
  const fix = isFlag(code) ? FLAG_SPECS[code].fix : STATUS_FIXES[code]
  const verdict = VERDICT_OF[severity]
  return (
    <article class={`finding v-${verdict}`}>
      <h3>
        <Mark name={MARK_OF[severity]} verdict={verdict} />
        <span>{message}</span>
      </h3>
      <p class="chips">
        {isFlag(code) ? (
          <a class="chip mono" href={`/methodology#flag-${code}`}>
            {code}
          </a>
        ) : (
          <code class="chip mono">{code}</code>
        )}
        <span class="chip">{isFlag(code) ? `${FLAG_SPECS[code].risk} risk` : severity}</span>
        {view.endpoints.length > 1 && (
          <span class="chip">
            {endpoints.length} of {plural(view.endpoints.length, 'endpoint')}
          </span>
        )}
      </p>
      {fix !== undefined && (
        <p class="fix">
          <b>How to fix it:</b> {fix}
        </p>
      )}
      {(evidence.length > 0 || view.endpoints.length > 1) && (
        <details>
          <summary>
            {evidence.length > 0 ? `Evidence: ${plural(evidence.length, 'record')}` : 'Where'}
          </summary>
          <ul class="evidence">
            {evidence.slice(0, SHOWN_EVIDENCE).map((id) => (
              <EvidenceLine id={id} look={view.observations.get(id)} />
            ))}
            {evidence.length > SHOWN_EVIDENCE && (
              <li class="muted">and {evidence.length - SHOWN_EVIDENCE} more</li>
            )}
            {view.endpoints.length > 1 &&
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

function EvidenceLine({ id, look }: { id: string; look: Observation | undefined }) {
  return (
    <li>
      <code>{cleanText(id, 60)}</code>
      {look !== undefined && (
        <span class="muted">
          {' '}
          <Moment at={look.at} />, {cleanText(look.method, 12)}{' '}
          {look.httpStatus === null ? look.cause.replaceAll('_', ' ') : `answered ${look.httpStatus}`}
          {look.latencyMs !== null && ` in ${look.latencyMs} ms`}, client {cleanText(look.client, 24)}
        </span>
      )}
    </li>
  )
}

const isFlag = (code: string): code is Flag => Object.hasOwn(FLAG_SPECS, code)
