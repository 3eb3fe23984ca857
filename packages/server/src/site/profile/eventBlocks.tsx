import type { ComponentChildren } from 'preact'
import { isRecomputed } from '../../log/recompute/recomputeFinding.ts'
import type { ShownReply } from '../../owners/replies.ts'
import { numberIdentities } from '../../publish/publishedObservation.ts'
import { DisputeState } from '../components/disputes.tsx'
import { describeChange, EventList } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Measured, OutLink, Snippet } from '../components/prose.tsx'
import { Recipe } from '../components/recipe.tsx'
import { Reply } from '../components/reply.tsx'
import { ProbeItem } from '../components/sides.tsx'
import { describeRisk, FindingCard, FindingCode } from '../components/verdictMark.tsx'
import { specOf } from '../findingTexts.ts'
import { plural } from '../format.ts'
import { fixPath } from '../owner/problems.ts'
import type { PageDeps } from '../pageDeps.ts'
import { focusPath, incidentPath } from '../paths.ts'
import { cleanText, quoteShell } from '../text.ts'
import { type ProfileEvent, placeUnder } from './events.ts'
import type { Finding } from './finding.ts'
import { isRotating, type ProfileView } from './loadProfile.ts'
import { splitMessage } from './mainReason.ts'

const MAX_MESSAGE = 1000
const SHOWN_ENDPOINTS = 5
const SHOWN_INCIDENTS = 5

const unique = (texts: readonly string[]) => [...new Set(texts)]

type Props = {
  readonly view: ProfileView
  readonly deps: Pick<PageDeps, 'config'>
}

type BlocksProps = Props & {
  /** Returns the replies that stand under an event. */
  readonly said: (event: ProfileEvent) => readonly ShownReply[]
}

/** Findings at the endpoints of a host, one block per event. */
export function EventBlocks({ view, deps, said }: BlocksProps) {
  const { events, standing, profile, disputes } = view
  const disputed = placeUnder(events, disputes)
  const none = profile.verdict === 'unknown' ? 'None, but no recent measurement either.' : 'None.'
  return (
    <Panel id="why" title="Findings">
      {events.length + standing.length === 0 && <p class="empty">{none}</p>}
      {events.map((event) => (
        <EventBlock event={event} view={view} deps={deps}>
          {said(event).map((reply) => (
            <Reply reply={reply} />
          ))}
          {disputed.under(event).map((dispute) => (
            <p class="small">
              <a href="#disputes">
                <DisputeState dispute={dispute} now={view.now} />
              </a>
            </p>
          ))}
        </EventBlock>
      ))}
      <EventList events={standing} now={view.now} />
    </Panel>
  )
}

type BlockProps = Props & {
  readonly event: ProfileEvent
  /** Replies and disputes of the owner. */
  readonly children: ComponentChildren
}

/**
 * Everything about one thing that happened: its findings, incident and changes, what ends it, what the owner says, and
 * the evidence.
 */
function EventBlock({ event, view, deps, children }: BlockProps) {
  const { title, date, findings, incidents, changes } = event
  const [worst] = findings
  const fix = specOf(worst.code)?.fix
  return (
    <FindingCard severity={worst.severity} title={date === undefined ? title : `${title}, ${date}`}>
      {findings.map((finding) => (
        <Measurement finding={finding} />
      ))}
      {unique(changes.map((change) => `${change.at.slice(0, 10)}: ${describeChange(change)}`)).map((text) => (
        <p class="small">
          <Measured text={text} max={420} />
        </p>
      ))}
      {incidents.slice(0, SHOWN_INCIDENTS).map(({ id, status, detectedAt, endpoint, proofUrl }) => (
        <p class="small">
          <a href={incidentPath(id)}>Incident</a> {status} since {detectedAt.slice(0, 10)}
          {incidents.length > 1 && (
            <>
              {' '}
              at <EndpointName url={endpoint} max={80} />
            </>
          )}{' '}
          · <OutLink href={proofUrl}>Proof on chain</OutLink>
        </p>
      ))}
      {incidents.length > SHOWN_INCIDENTS && (
        <p class="small">and {plural(incidents.length - SHOWN_INCIDENTS, 'more incident')}</p>
      )}
      {fix !== undefined && (
        <p class="fix">
          <b>Fix:</b> {fix} <a href={fixPath(view.host, worst.state.endpoint, worst.code)}>As the owner</a>
        </p>
      )}
      {children}
      {findings.map((finding) => (
        <Evidence finding={finding} isOnly={findings.length === 1} view={view} deps={deps} />
      ))}
    </FindingCard>
  )
}

/** The measurement, its code and risk, and the rule that ends it. */
function Measurement({ finding: { code, severity, message } }: { readonly finding: Finding }) {
  const { measured, clears = specOf(code)?.clears } = splitMessage(message)
  return (
    <>
      <p>
        <Measured text={measured} max={MAX_MESSAGE} />
      </p>
      <p class="small muted">
        <FindingCode code={code} />
        {describeRisk(severity)}. {cleanText(clears ?? '', MAX_MESSAGE)}
      </p>
    </>
  )
}

type EvidenceProps = Props & {
  readonly finding: Finding
  /** Whether its event has no other. */
  readonly isOnly: boolean
}

/** Every probe that a finding cites, how to reproduce it, and how to recompute it. */
function Evidence({ finding, isOnly, view, deps }: EvidenceProps) {
  const { code, evidence, endpoints, observations, state } = finding
  const known = new Set(observations.map(({ id }) => id))
  const incidents = evidence.filter((id) => id.startsWith('inc_'))
  const others = evidence.filter((id) => !known.has(id) && !id.startsWith('inc_'))
  const identityOf = numberIdentities(observations)
  return (
    <details>
      <summary>
        Evidence{!isOnly && ` of ${code}`}: {plural(evidence.length, 'record')}, and how to check it
      </summary>
      <ul class="evidence">
        {observations.map((observation) => (
          <ProbeItem observation={observation} now={view.now} identity={identityOf(observation.client)} />
        ))}
        {incidents.map((id) => (
          <li>
            <a href={incidentPath(id)}>Incident {id}</a>
          </li>
        ))}
        {others.map((id) => (
          <li>
            <code>{cleanText(id, 80)}</code>
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
        {endpoints.length > SHOWN_ENDPOINTS && <li>and at {endpoints.length - SHOWN_ENDPOINTS} more</li>}
      </ul>
      {isRecomputed(code) && (
        <Snippet
          label="Command that recomputes it from the published probes"
          code={`touchstone-server log recompute findings ${quoteShell(state.endpoint)} --service ${deps.config.publicUrl}`}
        />
      )}
      <Recipe
        code={code}
        observations={observations}
        contact={deps.config.operator.contact}
        state={isRotating(state) ? { ...state, payTo: null } : state}
      />
    </details>
  )
}
