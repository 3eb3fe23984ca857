import { nameClient } from '../domain/facts/clientIdentities.ts'
import type { Observation, ReceiverRecord } from '../domain/facts/facts.ts'
import { findShownRecord } from '../domain/judge/receivers.ts'
import { describeEvidence, type IncidentEvidence, listHistory } from '../domain/publish/incidentEvidence.ts'
import { isPublished } from '../domain/publish/publishedLook.ts'
import type { Page } from '../http/deps.ts'
import { ProblemError } from '../http/problems.ts'
import type { Dispute } from '../owners/createDisputes.ts'
import { readIncidentEvidence } from '../readModel/readEvidence.ts'
import { answerHtml, answerJson } from './answerHtml.tsx'
import { DisputePanel } from './components/disputes.tsx'
import { HostLink, INCIDENT_NAMES } from './components/incidentList.tsx'
import { Layout } from './components/layout.tsx'
import { Definitions, Panel } from './components/panel.tsx'
import { Address, EndpointName, Measured, Moment, OutLink, Seller } from './components/prose.tsx'
import { Recipe, type RecipeOf, writeRecipe } from './components/recipe.tsx'
import { describeAnswer, Sides, showPurchase, showSide } from './components/sides.tsx'
import { formatTime } from './format.ts'
import type { PageDeps } from './pageDeps.ts'
import { cardPath, incidentPath, lookPath, ownerPath } from './paths.ts'
import { describeReceiver } from './profile/record.tsx'
import { isId } from './readParameter.ts'
import { cleanText } from './text.ts'

/** Creates `/incidents/{id}`: who was asked what and when, both answers, purchases, history, and how to reproduce it. */
export function createIncidentPage(deps: PageDeps): Page {
  const { store, clock, publicUrl, operator } = deps
  return {
    path: '/incidents/:id',
    handler: async ({ params: { id = '' }, accepts }) => {
      const found = isId(id) ? await readIncidentEvidence(store, id) : undefined
      if (found === undefined) throw new ProblemError(404, 'unknown_incident', 'No incident has this id.')
      const { incident, looks, sides, state } = found
      const published = (await deps.disputes?.published(incident.host)) ?? []
      const disputes = published.filter((one) => one.incident === id)
      const evidence = { ...found, disputedAt: disputes.map(({ at, decidedAt }) => decidedAt ?? at) }
      const { endpoint, kind, receiver: { network, payTo } = { network: null, payTo: null } } = incident
      const unknown = { endpoint, method: 'GET', listings: [], network, payTo, priceUsd: null }
      const recipe: RecipeOf = { code: kind, state: state ?? unknown, looks, contact: operator.contact }
      if (accepts === 'json')
        return answerJson({
          ...describeEvidence(evidence, publicUrl, clock.now()),
          recipe: writeRecipe(recipe),
        })
      const named = new Map(sides.flatMap(({ offers: [offer] }) => (offer ? [[offer.payTo, offer]] : [])))
      const records = [...named.values()].map((one) => store.receiver(one.network, one.payTo))
      const receivers = (await Promise.all(records)).flatMap((one) => findShownRecord(one, clock.now()) ?? [])
      return answerHtml(<IncidentShown {...{ evidence, recipe, receivers, disputes, deps }} />)
    },
  }
}

type ShownProps = {
  readonly evidence: IncidentEvidence
  readonly recipe: RecipeOf
  /** Newest chain record of each receiver. */
  readonly receivers: readonly ReceiverRecord[]
  readonly disputes: readonly Dispute[]
  readonly deps: PageDeps
}

function IncidentShown({ evidence, recipe, receivers, disputes, deps }: ShownProps) {
  const { incident, looks, purchases, sides } = evidence
  const { id, kind, status, severity, host, endpoint, summary, proofUrl, proof } = incident
  const now = deps.clock.now()
  const name = INCIDENT_NAMES[kind]
  const isPublic = (look: Observation) => isPublished(look, now, incident.observations.includes(look.id))
  const history = listHistory(evidence).map(({ event, at }) => `${event} ${formatTime(Date.parse(at))}`)
  const asked = looks.map((look) => ({
    term: <Moment at={look.at} />,
    text: (
      <>
        {cleanText(look.method, 12)} by {cleanText(nameClient(look.client), 40)}:{' '}
        <a href={lookPath(look.id, look.endpoint)}>{describeAnswer(look)}</a>
      </>
    ),
  }))
  const read = receivers.map((receiver) => ({
    term: <Address value={receiver.address} network={receiver.network} />,
    text: describeReceiver(receiver),
  }))
  return (
    <Layout
      title={`${name}: ${cleanText(host, 80)}`}
      description={cleanText(summary, 200)}
      path={incidentPath(id)}
      publicUrl={deps.publicUrl}
      operator={deps.operator}
      card={cardPath(incidentPath(id))}
    >
      <h1>{name}</h1>
      <p class="lede">
        <HostLink host={host} />, <EndpointName url={endpoint} max={300} />.{' '}
        {status === 'open' ? 'Open' : 'Resolved'}, severity {severity}.
      </p>
      <div class="stack">
        <Panel id="what" title="What was measured">
          <p>
            <Measured text={summary} max={600} />
          </p>
          {sides.length > 1 && <Sides sides={sides.map((side) => showSide(side, isPublic))} />}
          {purchases.map((purchase) => (
            <>
              <Sides sides={showPurchase(purchase)} />
              <p class="small">
                Transaction <code>{purchase.txHash ?? 'none'}</code>.
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
            {proof.blockNumber !== null && ` at block ${proof.blockNumber.toLocaleString('en-US')}`} ·{' '}
            <code>{kind}</code>
          </p>
        </Panel>
        {asked.length + read.length > 0 && (
          <Panel id="probes" title="Who was asked what, when">
            <Definitions class="terms" list={[...asked, ...read]} />
          </Panel>
        )}
        <Panel id="check" title="Reproduce it">
          <Recipe {...recipe} />
        </Panel>
        <DisputePanel disputes={disputes} now={now} />
        <Panel
          id="history"
          title="History"
          extra={deps.hostClaims && <a href={`${ownerPath(host, { about: id })}#disputes`}>Dispute it</a>}
        >
          <p>{history.join(', ')}.</p>
        </Panel>
      </div>
    </Layout>
  )
}
