import { createClients } from '../facts/clientIdentities.ts'
import type { Observation } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { dayKey } from '../facts/leaves.ts'
import { toDate } from '../facts/times.ts'
import type { Page } from '../http/deps.ts'
import { admit, createLimiter } from '../http/rateLimit.ts'
import { ProblemError } from '../lib/problemError.ts'
import { isDayOpen } from '../log/listDay.ts'
import { isPublished, publishedFrom, publishObservation } from '../publish/publishedObservation.ts'
import { findObservation } from '../readModel/readEvidence.ts'
import { findLeaf } from '../store/log.ts'
import { answerHtml, answerJson } from './answerHtml.tsx'
import { HostLink } from './components/incidentList.tsx'
import { Layout } from './components/layout.tsx'
import { Definitions, Panel } from './components/panel.tsx'
import { Day, EndpointName, Measured, Moment, Seller } from './components/prose.tsx'
import { Recipe } from './components/recipe.tsx'
import { describeAnswer, describeOffer } from './components/sides.tsx'
import { formatTime } from './format.ts'
import { readUrl } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { probePath } from './paths.ts'
import { isId, readParameter } from './readParameter.ts'
import { cleanText } from './text.ts'

// Finding a probe reads the probes of its endpoint.
const PER_CLIENT = { points: 60, windowSeconds: 60 }

/**
 * Creates `/observations/{id}`: one probe as it was recorded, 24 hours old or cited by a finding. `endpoint` names its
 * endpoint, without which only probes that incidents cite are found.
 */
export function createObservationPage(deps: PageDeps): Page {
  const { store, clock, config } = deps
  const clients = createLimiter(PER_CLIENT)
  return {
    path: '/observations/:id',
    handler: async ({ params: { id = '' }, search, accepts, client }) => {
      admit(clients, client)
      const asked = readParameter(search, 'endpoint')
      const endpoint = asked === undefined ? undefined : readUrl(asked)?.key
      if (asked !== undefined && endpoint === undefined)
        throw new ProblemError(400, 'bad_endpoint', 'endpoint is not a public http or https URL.')
      const found = isId(id) ? await findObservation(store, id, endpoint) : undefined
      if (found === undefined || found.observation.purpose === 'control') {
        const hint = asked === undefined ? ' Name its endpoint: /observations/{id}?endpoint=<URL>.' : ''
        throw new ProblemError(404, 'unknown_observation', `No probe of this id is kept.${hint}`)
      }
      const { observation, state } = found
      if (!isPublished(observation, clock.now(), found.isCited)) {
        const from = formatTime(publishedFrom(observation))
        const detail = `Probes that no finding cites are published after 24 hours; this one from ${from} on.`
        throw new ProblemError(404, 'not_published_yet', detail)
      }
      const leaf = (await findLeaf(store, dayKey(observation.host, toDate(observation.at)))) ?? null
      const identity = createClients(config.operator.contact).find((one) => one.id === observation.client)
      const published = publishObservation(
        observation,
        config.publicUrl,
        leaf,
        identity?.headers['user-agent'] ?? null,
        clock.now(),
      )
      const options = { maxAgeSeconds: 3600 }
      if (accepts === 'json') return answerJson(published, options)
      return answerHtml(
        <ObservationShown published={published} observation={observation} state={state} deps={deps} />,
        options,
      )
    },
  }
}

type ShownProps = {
  readonly published: ReturnType<typeof publishObservation>
  readonly observation: Observation
  readonly state: EndpointState | undefined
  readonly deps: PageDeps
}

function ObservationShown({ published, observation, state, deps }: ShownProps) {
  const { clock, config } = deps
  const { id, endpoint, at, purpose, outcome, latencyMs, offers, day, method } = published
  const asked = { endpoint, method, listings: state?.listings ?? [], priceUsd: null }
  const disagreed = [...published.disagreements, ...published.problems].join('; ')
  const time = latencyMs === null ? '' : `, after ${Math.round(latencyMs)} ms`
  const { exactFrom } = published
  const client =
    exactFrom === undefined
      ? `${observation.client}: ${published.userAgent ?? 'no longer in use'}`
      : `not published before ${exactFrom.slice(0, 10)}`
  const probes = `with the probes of ${day.date}`
  const logged = <a href={day.url.slice(config.publicUrl.length)}>{probes}</a>
  const list = [
    { term: 'Asked', text: `${cleanText(method, 12)}, ${purpose}` },
    { term: 'Client', text: <Seller text={client} /> },
    { term: 'Result', text: `${outcome.replace('_', ' ')}: ${describeAnswer(observation)}${time}` },
    ...offers.map(describeOffer).map(({ text, network }, index) => ({
      term: `Offer ${index + 1}`,
      text: <Measured text={text} max={240} network={network} />,
    })),
    { term: 'Disagreements', text: <Seller text={disagreed || 'none'} max={1200} /> },
    {
      term: 'Logged',
      text: isDayOpen(day.date, clock.now())
        ? logged
        : `${probes}, published from 24 hours after the end of that day on`,
    },
  ]
  return (
    <Layout
      title={`Probe ${id}`}
      description={`One probe of an endpoint of ${cleanText(observation.host, 80)}, as it was recorded.`}
      path={probePath(id, endpoint)}
      config={config}
    >
      <h1>Probe {cleanText(id, 64)}</h1>
      <p class="lede">
        <EndpointName url={endpoint} max={300} /> of <HostLink host={observation.host} />, on{' '}
        {exactFrom === undefined ? <Moment at={at} /> : <Day at={at} />}.
      </p>
      <div class="stack">
        <Panel id="seen" title="Request and answer">
          <Definitions class="terms" list={list} />
        </Panel>
        <Panel id="check" title="Reproduce it">
          <Recipe state={asked} contact={config.operator.contact} />
        </Panel>
      </div>
    </Layout>
  )
}
