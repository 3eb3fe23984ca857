import type { Incident } from '@touchstone402/shared'
import type { ReceiverRecord, Time } from '../../domain/facts/facts.ts'
import { toTimestamp } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import type { Dispute } from '../../owners/createDisputes.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { DisputePanel } from '../components/disputes.tsx'
import { HostLink, INCIDENT_NAMES } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Definitions, Panel } from '../components/panel.tsx'
import { Address, Day, EndpointName, Measured, Moment, OutLink } from '../components/prose.tsx'
import { plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cardPath, incidentPath, lookPath, ownerPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { CheckYourself } from './checkYourself.tsx'
import { describePurchase, PurchasePanel } from './purchaseEvidence.tsx'
import { isPublished, publishedFrom } from './readLook.ts'
import { readSides, type Side } from './sides.ts'
import { LookLink, Sides } from './sidesView.tsx'

const ID = /^[\w-]{1,64}$/

/** An incident with everything its page shows. */
type IncidentView = NonNullable<Awaited<ReturnType<typeof loadIncident>>>

/** Creates `/incidents/{id}`: a page, or for programs the incident with both sides, its looks and its history. */
export function createIncidentPage(deps: PageDeps): Page {
  return {
    path: '/incidents/:id',
    hasJson: true,
    handler: async ({ params: { id = '' }, accepts }) => {
      const view = ID.test(id) ? await loadIncident(deps, id) : undefined
      if (view === undefined) throw new ProblemError(404, 'unknown_incident', 'No incident has this id.')
      return accepts === 'json'
        ? answerJson(describeIncident(view, deps.publicUrl))
        : answerHtml(<IncidentShown view={view} publicUrl={deps.publicUrl} />)
    },
  }
}

async function loadIncident(deps: Pick<PageDeps, 'store' | 'clock' | 'hostClaims' | 'disputes'>, id: string) {
  const { store, clock, hostClaims } = deps
  const incident = await store.incident(id)
  if (incident === undefined) return undefined
  const { endpoint, observations } = incident
  const [document, looks, facts] = await Promise.all([
    store.endpoint(endpoint),
    store.cited(endpoint, observations),
    store.endpointFacts(endpoint),
  ])
  const listings = (document?.state.listings ?? []).filter((listing) => observations.includes(listing.id))
  const sides = await readSides(store, looks, listings)
  const named = sides.flatMap(({ offers: [offer] }) => (offer === undefined ? [] : [offer]))
  const receivers = await Promise.all(
    named.map(async ({ network, payTo }) => (await store.receiver(network, payTo)).at(-1)),
  )
  return {
    incident,
    looks,
    /** Test purchases that the finding rests on; no other one is shown. */
    purchases: facts.purchases.filter(({ id }) => observations.includes(id)),
    sides,
    receivers: [...new Map(receivers.flatMap((one) => (one ? [[one.address, one] as const] : []))).values()],
    method: document?.state.method ?? 'GET',
    // For people alone: a dispute is no measurement.
    disputes: ((await deps.disputes?.published(incident.host)) ?? []).filter((one) => one.incident === id),
    canDispute: hostClaims !== undefined,
    now: clock.now(),
  }
}

function describeIncident({ incident, sides, looks, purchases, now }: IncidentView, publicUrl: string) {
  const link = (look: (typeof looks)[number]) => ({
    id: look.id,
    at: toTimestamp(look.at),
    ...(isPublished(look, now, incident.observations.includes(look.id))
      ? { url: publicUrl + lookPath(look.id, look.endpoint) }
      : { publishedFrom: toTimestamp(publishedFrom(look)) }),
  })
  return {
    ...incident,
    sides: sides.map((side: Side) => ({
      title: side.title,
      offers: side.offers.map(({ unsafeFlow: _, unpayable: __, stockRefuses: ___, ...offer }) => offer),
      ...(side.listing && { listing: { directory: side.listing.directory, claims: side.listing.claims } }),
      looks: side.looks.map(link),
    })),
    looks: looks.map(link),
    purchases: purchases.map(describePurchase),
    history: listHistory(incident).map(({ event, at }) => ({ event, at })),
  }
}

const toEvent = ({ at, decidedAt }: Dispute) => ({ event: 'disputed', at: toTimestamp(decidedAt ?? at) })

/** Events of an incident, oldest first. */
function listHistory({ detectedAt, resolvedAt, status }: Incident) {
  return [
    { event: 'opened', at: detectedAt },
    ...(status === 'resolved' && resolvedAt !== null ? [{ event: 'resolved', at: resolvedAt }] : []),
  ]
}

function IncidentShown({ view, publicUrl }: { readonly view: IncidentView; readonly publicUrl: string }) {
  const { incident, looks, purchases, sides, receivers, method, disputes, canDispute, now } = view
  const { id, kind, status, severity, host, endpoint, summary, proofUrl, proof } = incident
  const name = INCIDENT_NAMES[kind]
  return (
    <Layout
      title={`${name}: ${cleanText(host, 80)}`}
      description={cleanText(summary, 200)}
      path={incidentPath(id)}
      publicUrl={publicUrl}
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
          <Sides sides={sides} now={now} cited={incident.observations} />
          <p class="small muted">
            <OutLink href={proofUrl}>Proof on chain</OutLink>
            {proof.blockNumber !== null && ` at block ${proof.blockNumber.toLocaleString('en-US')}`} ·{' '}
            <code>{kind}</code>
          </p>
        </Panel>
        <PurchasePanel purchases={purchases} now={now} />
        {receivers.length > 0 && (
          <Panel id="receivers" title="Receivers on chain">
            <Definitions
              class="terms"
              list={receivers.map((record) => ({
                term: <Address value={record.address} network={record.network} />,
                text: describeReceiver(record),
              }))}
            />
          </Panel>
        )}
        <DisputePanel disputes={disputes} now={now} />
        <Panel
          id="history"
          title="History"
          extra={canDispute && <a href={`${ownerPath(host, { incident: id })}#disputes`}>Dispute it</a>}
        >
          <Definitions
            class="terms"
            list={[...listHistory(incident), ...disputes.map(toEvent)].map(({ event, at }) => ({
              term: event,
              text: <Moment at={at} now={now} />,
            }))}
          />
        </Panel>
        {looks.length > 0 && <Looks looks={looks} now={now} />}
        <CheckYourself method={method} endpoint={endpoint} explorerUrl={proof.address && proofUrl} />
      </div>
    </Layout>
  )
}

function Looks({ looks, now }: { readonly looks: IncidentView['looks']; readonly now: Time }) {
  return (
    <Panel id="looks" title="Looks behind it">
      <ul class="evidence">
        {looks.map((look) => (
          <li>
            <LookLink look={look} now={now} isCited />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function describeReceiver({ category, receipts90d, payers90d, blockNumber, historyFrom }: ReceiverRecord) {
  return (
    <>
      {category === 'blank' ? 'little history' : category}: {plural(receipts90d, 'payment')} by{' '}
      {plural(payers90d, 'payer')} in 90 days, at block {blockNumber.toLocaleString('en-US')}; read from{' '}
      <Day at={historyFrom} /> on
    </>
  )
}
