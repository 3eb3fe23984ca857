import type { Flag } from '@touchstone402/shared'
import type { Observation } from '../../domain/facts/facts.ts'
import { FLAG_SPECS, STATUS_SPECS, type StatusReason } from '../../domain/judge/spec.ts'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Measured, Moment } from '../components/prose.tsx'
import { Recipe } from '../components/recipe.tsx'
import { describeAnswer } from '../components/sides.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { incidentPath, lookPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { type Finding, isRotating, type ProfileView, SHOWN_EVIDENCE } from './loadProfile.ts'
import { splitMessage } from './mainReason.ts'

const VERDICT_OF = { critical: 'avoid', warn: 'caution', info: 'unknown' } as const
const SHOWN_ENDPOINTS = 5
const MAX_MESSAGE = 1000

type Props = { readonly view: ProfileView; readonly contact: string | undefined }

/** Every finding at the endpoints that are shown, with the rule that ends it, a fix and its evidence. */
export function Findings({ view, contact }: Props) {
  const { findings, profile } = view
  const none = profile.verdict === 'unknown' ? 'None, but no recent measurement either.' : 'None.'
  return (
    <Panel id="why" title="Findings">
      {findings.length === 0 && <p class="empty">{none}</p>}
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
      <p class="small muted">
        {flag === undefined ? <code>{code}</code> : <a href={`/methodology#flag-${code}`}>{code}</a>},{' '}
        {flag ? `${flag.risk} risk` : severity}. {clears !== undefined && cleanText(clears, MAX_MESSAGE)}
      </p>
      {fix !== undefined && (
        <p class="fix">
          <b>Fix:</b> {fix}
        </p>
      )}
      <details>
        <summary>Evidence: {plural(evidence.length, 'record')}, and how to reproduce it</summary>
        <ul class="evidence">
          {evidence.slice(0, SHOWN_EVIDENCE).map(({ id }) => (
            <Record id={id} look={view.observations.get(id)} />
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
          <Recipe
            {...{ code, looks, contact }}
            state={isRotating(state) ? { ...state, payTo: null } : state}
          />
        ))}
      </details>
    </article>
  )
}

/** A record that a finding cites: a probe, an incident, or one that only its id names. */
function Record({ id, look }: { id: string; look: Observation | undefined }) {
  const name = cleanText(id, 60)
  if (look !== undefined)
    return (
      <li>
        <a href={lookPath(id, look.endpoint)}>Probe {name}</a>, <Moment at={look.at} />:{' '}
        {cleanText(look.method, 12)}, {describeAnswer(look)}
      </li>
    )
  return (
    <li>{id.startsWith('inc_') ? <a href={incidentPath(id)}>Incident {name}</a> : <code>{name}</code>}</li>
  )
}

const isFlag = (code: string): code is Flag => Object.hasOwn(FLAG_SPECS, code)
const isStatus = (code: string): code is StatusReason => Object.hasOwn(STATUS_SPECS, code)
