import { isFlag } from '@touchstone402/shared'
import { FLAG_RULES } from '../../judge/flags.ts'
import { STATUS_SPECS } from '../../judge/spec.ts'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Measured } from '../components/prose.tsx'
import { Recipe } from '../components/recipe.tsx'
import { ProbeItem } from '../components/sides.tsx'
import { FindingCard } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { focusPath, incidentPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { type Finding, isRotating, SHOWN_EVIDENCE, type VerdictView } from './loadProfile.ts'
import { splitMessage } from './mainReason.ts'

const SPECS: Readonly<Record<string, { readonly fix: string; readonly clears?: string } | undefined>> = {
  ...FLAG_RULES,
  ...STATUS_SPECS,
}
const MAX_MESSAGE = 1000
const SHOWN_ENDPOINTS = 5

type Props = { readonly view: VerdictView; readonly contact: string | undefined }

/** Every finding at the endpoints that are shown, with the rule that ends it, a fix and its evidence. */
export function Findings({ view, contact }: Props) {
  const { findings, profile } = view
  const none = profile.verdict === 'unknown' ? 'None, but no recent measurement either.' : 'None.'
  return (
    <Panel id="why" title="Findings">
      {findings.length === 0 && <p class="empty">{none}</p>}
      {findings.map((finding) => (
        <Explained finding={finding} view={view} contact={contact} />
      ))}
    </Panel>
  )
}

function Explained({ finding, view, contact }: Props & { finding: Finding }) {
  const { code, severity, message, evidence, endpoints, observations, state } = finding
  const spec = SPECS[code]
  const { measured, clears = spec?.clears } = splitMessage(message)
  const others = evidence
    .slice(0, SHOWN_EVIDENCE)
    .filter((id) => observations.every((observation) => observation.id !== id))
  return (
    <FindingCard severity={severity} title={<Measured text={measured} max={MAX_MESSAGE} />}>
      <p class="small muted">
        {isFlag(code) ? <a href={`/methodology#flag-${code}`}>{code}</a> : <code>{code}</code>}, {severity}.{' '}
        {cleanText(clears ?? '', MAX_MESSAGE)}
      </p>
      {spec && (
        <p class="fix">
          <b>Fix:</b> {spec.fix}
        </p>
      )}
      <details>
        <summary>Evidence: {plural(evidence.length, 'record')}, and how to reproduce it</summary>
        <ul class="evidence">
          {observations.map((observation) => (
            <ProbeItem observation={observation} now={view.now} />
          ))}
          {others.map((id) => (
            <li>
              {id.startsWith('inc_') ? <a href={incidentPath(id)}>Incident {id}</a> : <code>{id}</code>}
            </li>
          ))}
          {view.endpoints.length > 1 &&
            endpoints.slice(0, SHOWN_ENDPOINTS).map((endpoint) => (
              <li>
                at{' '}
                <a href={focusPath(view.host, endpoint)}>
                  <EndpointName url={endpoint} />
                </a>
              </li>
            ))}
          {endpoints.length > SHOWN_ENDPOINTS && (
            <li>and at {endpoints.length - SHOWN_ENDPOINTS} more of those shown</li>
          )}
        </ul>
        <Recipe
          code={code}
          observations={observations}
          contact={contact}
          state={isRotating(state) ? { ...state, payTo: null } : state}
        />
      </details>
    </FindingCard>
  )
}
