import type { Observation } from '../facts/facts.ts'
import type { Page } from '../http/deps.ts'
import { ProblemError } from '../lib/problemError.ts'
import { readDisputes } from '../owners/disputes.ts'
import { describeEvidence, listHistory } from '../publish/incidentEvidence.ts'
import { isPublished, isWithheld, numberIdentities } from '../publish/publishedObservation.ts'
import { readIncidentEvidence } from '../readModel/readEvidence.ts'
import { readReceiverRecords } from '../store/facts.ts'
import { answerHtml, answerJson } from './answerHtml.tsx'
import { DisputePanel } from './components/disputes.tsx'
import { HostLink, INCIDENT_NAMES } from './components/incidentList.tsx'
import { Layout } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { Address, EndpointName, Measured, OutLink, Seller } from './components/prose.tsx'
import { Recipe, writeRecipe } from './components/recipe.tsx'
import { ProbeItem, Sides, showPurchase, showSide } from './components/sides.tsx'
import { describeRisk } from './components/verdictMark.tsx'
import { formatTime } from './format.ts'
import type { PageDeps } from './pageDeps.ts'
import { cardPath, incidentPath, ownerPath } from './paths.ts'
import { describeReceiver } from './profile/record.tsx'
import { isId } from './readParameter.ts'
import { cleanText } from './text.ts'

/** Number of receivers whose chain records are shown. */
const MAX_RECEIVERS = 8

/** Creates `/incidents/{id}`: who was asked what and when, both answers, purchases, history, and how to reproduce it. */
export function createIncidentPage(deps: PageDeps): Page {
  return {
    path: '/incidents/:id',
    handler: async ({ params: { id = '' }, accepts }) => {
      const view = await loadIncident(deps, id)
      if (accepts !== 'json') return answerHtml(<IncidentShown view={view} deps={deps} />)
      const described = describeEvidence(view.evidence, deps.config.publicUrl, deps.clock.now())
      return answerJson({ ...described, recipe: writeRecipe(view.recipe) })
    },
  }
}

async function loadIncident(deps: PageDeps, id: string) {
  const { store, config } = deps
  const found = isId(id) ? await readIncidentEvidence(store, id) : undefined
  if (found === undefined) throw new ProblemError(404, 'unknown_incident', 'No incident has this id.')
  const { incident, observations, state } = found
  const all = await readDisputes(deps, incident.host)
  const disputes = all.filter((one) => one.incident === id)
  const evidence = { ...found, disputedAt: disputes.map(({ at }) => at) }
  const offers = found.sides.flatMap((side) => side.offers)
  const named = new Map(offers.map(({ network, payTo }) => [`${network} ${payTo}`, { network, payTo }]))
  const records = await Promise.all(
    [...named.values()]
      .slice(0, MAX_RECEIVERS)
      .map(({ network, payTo }) => readReceiverRecords(store, network, payTo)),
  )
  const receivers = records.flatMap((one) => one.at(-1) ?? [])
  const { endpoint, kind } = incident
  const unknown = { endpoint, method: 'GET', listings: [], priceUsd: null }
  const recipe = { code: kind, state: state ?? unknown, observations, contact: config.operator.contact }
  return { evidence, recipe, receivers, disputes }
}

type ShownProps = { readonly view: Awaited<ReturnType<typeof loadIncident>>; readonly deps: PageDeps }

function IncidentShown({ view: { evidence, recipe, receivers, disputes }, deps }: ShownProps) {
  const { incident, observations, purchases, sides } = evidence
  const { id, kind, status, severity, host, endpoint, summary, proofUrl, proof } = incident
  const now = deps.clock.now()
  const name = INCIDENT_NAMES[kind]
  const identityOf = numberIdentities(observations)
  const isPublic = (observation: Observation) =>
    isPublished(observation, now, incident.observations.includes(observation.id))
  const isWithheldOf = (event: string) =>
    event !== 'opened' && observations.some((observation) => isWithheld(observation, now))
  const history = listHistory(evidence, now).map(
    ({ event, at }) => `${event} ${isWithheldOf(event) ? at.slice(0, 10) : formatTime(Date.parse(at))}`,
  )
  return (
    <Layout
      title={`${name}: ${cleanText(host, 80)}`}
      description={cleanText(summary, 200)}
      path={incidentPath(id)}
      config={deps.config}
      card={cardPath(incidentPath(id))}
    >
      <h1>{name}</h1>
      <p class="lede">
        <HostLink host={host} />, <EndpointName url={endpoint} max={300} />.{' '}
        {status === 'open' ? 'Open' : 'Resolved'}, {describeRisk(severity)}.
      </p>
      <div class="stack">
        <Panel id="what" title="What was measured">
          <p>
            <Measured text={summary} max={600} />
          </p>
          {sides.length > 1 && <Sides sides={sides.map((side) => showSide(side, isPublic, now))} />}
          {purchases.map((purchase) => (
            <>
              <Sides sides={showPurchase(purchase)} />
              <p class="small">
                Transaction <code>{purchase.txHash ?? 'none'}</code>.
                {purchase.excerpt === null && ' The answer had no text.'}
                {purchase.excerpt && ' The answer began with: '}
                {purchase.excerpt && (
                  <q>
                    <Seller text={purchase.excerpt} max={300} />
                  </q>
                )}
              </p>
            </>
          ))}
          <p class="small muted">
            <OutLink href={proofUrl}>Proof on chain</OutLink>
            {proof.blockNumber !== null && ` at block ${proof.blockNumber.toLocaleString('en-US')}`};{' '}
            {history.join(', ')}. <a href={`${ownerPath(host, { about: id })}#disputes`}>Dispute it</a>
          </p>
        </Panel>
        {observations.length > 0 && (
          <Panel id="probes" title="Every probe that the rule needed">
            <ul class="evidence">
              {observations.map((observation) => (
                <ProbeItem observation={observation} now={now} identity={identityOf(observation.client)} />
              ))}
              {receivers.map((record) => (
                <li>
                  <Address value={record.address} network={record.network} />: {describeReceiver(record)}
                </li>
              ))}
            </ul>
          </Panel>
        )}
        <Panel id="check" title="Reproduce it">
          <Recipe {...recipe} />
        </Panel>
        <DisputePanel disputes={disputes} now={now} />
      </div>
    </Layout>
  )
}
