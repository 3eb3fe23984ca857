import type { Flag } from '@touchstone402/shared'
import { FLAG_SPECS, STATUS_SPECS, type StatusReason } from '../../domain/judge/spec.ts'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Measured, Moment } from '../components/prose.tsx'
import { Recipe } from '../components/recipe.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { incidentPath, lookPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { type Finding, type ProfileView, SHOWN_EVIDENCE } from './loadProfile.ts'
import { splitMessage } from './mainReason.ts'

const VERDICT_OF = { critical: 'avoid', warn: 'caution', info: 'unknown' } as const
const SHOWN_ENDPOINTS = 5
const MAX_MESSAGE = 1000

type Props = { readonly view: ProfileView; readonly contact: string | undefined }

/** Every finding at the endpoints that are shown, with the rule that ends it, a fix and its evidence. */
export function Findings({ view, contact }: Props) {
  const { findings, profile } = view
  return (
    <Panel id="why" title="Findings">
      {findings.length === 0 && (
        <p class="empty">
          {profile.verdict === 'unknown'
            ? 'None, but no recent measurement either.'
            : `None in ${plural(profile.probes, 'probe')}, each checked for ${Object.keys(FLAG_SPECS).length} kinds.`}
        </p>
      )}
      {findings.map((finding) => (
        <FindingCard finding={finding} view={view} contact={contact} />
      ))}
    </Panel>
  )
}

function FindingCard({ finding, view, contact }: Props & { finding: Finding }) {
  const { code, severity, message, evidence, states } = finding
  const flag = isFlag(code) ? FLAG_SPECS[code] : undefined
  const status = isStatus(code) ? STATUS_SPECS[code] : undefined
  const { measured, clears = status?.clears } = splitMessage(message)
  const fix = flag?.fix ?? status?.fix
  const verdict = VERDICT_OF[severity]
  const looks = evidence.flatMap(({ id }) => view.observations.get(id) ?? [])
  return (
    <article class={`finding v-${verdict}`}>
      <h3>
        <VerdictMark verdict={verdict} symbol={severity === 'info' ? 'info' : verdict} />
        <Measured text={measured} max={MAX_MESSAGE} />
      </h3>
      <p class="chips">
        {flag === undefined ? (
          <code class="chip mono">{code}</code>
        ) : (
          <a class="chip mono" href={`/methodology#flag-${code}`}>
            {code}
          </a>
        )}
        <span class="chip">{flag ? `${flag.risk} risk` : severity}</span>
      </p>
      {clears !== undefined && <p>{cleanText(clears, MAX_MESSAGE)}</p>}
      {fix !== undefined && (
        <p class="fix">
          <b>Fix:</b> {fix}
        </p>
      )}
      <details>
        <summary>Evidence: {plural(evidence.length, 'record')}, and how to reproduce it</summary>
        <ul class="evidence">
          {evidence.slice(0, SHOWN_EVIDENCE).map(({ id }) => (
            <Record id={id} view={view} />
          ))}
          {view.endpoints.length > 1 &&
            states.slice(0, SHOWN_ENDPOINTS).map(({ endpoint }) => (
              <li>
                at <EndpointName url={endpoint} />
              </li>
            ))}
          {states.length > SHOWN_ENDPOINTS && (
            <li class="muted">and at {states.length - SHOWN_ENDPOINTS} more of those shown</li>
          )}
        </ul>
        {states.slice(0, 1).map((state) => (
          <Recipe code={code} state={state} looks={looks} contact={contact} />
        ))}
      </details>
    </article>
  )
}

/** A record that a finding cites: a probe, an incident, or one that only its id names. */
function Record({ id, view: { observations } }: { id: string; view: ProfileView }) {
  const probe = observations.get(id)
  const name = cleanText(id, 60)
  if (probe === undefined)
    return (
      <li>{id.startsWith('inc_') ? <a href={incidentPath(id)}>Incident {name}</a> : <code>{name}</code>}</li>
    )
  const { at, endpoint, method, httpStatus, cause } = probe
  return (
    <li>
      <a href={lookPath(id, endpoint)}>Probe {name}</a>, <Moment at={at} />: {cleanText(method, 12)}{' '}
      {httpStatus === null ? cause.replaceAll('_', ' ') : `answered ${httpStatus}`}
    </li>
  )
}

const isFlag = (code: string): code is Flag => Object.hasOwn(FLAG_SPECS, code)
const isStatus = (code: string): code is StatusReason => Object.hasOwn(STATUS_SPECS, code)
