import type { PublishedLook } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { isDayOpen } from '../../log/listDay.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { HostLink } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Definitions, Panel } from '../components/panel.tsx'
import { EndpointName, Moment, Seller } from '../components/prose.tsx'
import { formatTime } from '../format.ts'
import { readUrl } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { leafPath, lookPath } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'
import { CheckYourself } from './checkYourself.tsx'
import { findLook, isPublished, publishedFrom, publishLook } from './readLook.ts'
import { Offers } from './sidesView.tsx'

// Finding a look reads the looks of its endpoint.
const PER_CLIENT = { points: 60, windowSeconds: 60 }
const MAX_AGE_SECONDS = 3600
const ID = /^[\w-]{1,64}$/

/**
 * Creates `/observations/{id}`: one probe, 24 hours old or cited by a finding. `endpoint` names its endpoint, without
 * which only looks that incidents cite are found.
 */
export function createLookPage({ store, clock, publicUrl }: PageDeps): Page {
  const clients = createLimiter(PER_CLIENT)
  return {
    path: '/observations/:id',
    hasJson: true,
    handler: async ({ params: { id = '' }, search, accepts, client }) => {
      admit(clients, client)
      const asked = readParameter(search, 'endpoint')
      const endpoint = asked === undefined ? undefined : readUrl(asked)?.key
      if (asked !== undefined && endpoint === undefined)
        throw new ProblemError(400, 'bad_endpoint', 'endpoint is not a public http or https URL.')
      const found = ID.test(id) ? await findLook(store, id, endpoint) : undefined
      if (found === undefined || found.look.purpose === 'control') {
        const hint = asked === undefined ? ' Name its endpoint: /observations/{id}?endpoint=<URL>.' : ''
        throw new ProblemError(404, 'unknown_observation', `No look of this id is kept.${hint}`)
      }
      const { look, isCited } = found
      if (!isPublished(look, clock.now(), isCited)) {
        throw new ProblemError(
          404,
          'not_published_yet',
          `Looks are published after 24 hours; this one from ${formatTime(publishedFrom(look))} on.`,
        )
      }
      const published = await publishLook(store, look, publicUrl)
      const options = { maxAgeSeconds: MAX_AGE_SECONDS }
      return accepts === 'json'
        ? answerJson(published, options)
        : answerHtml(
            <LookShown
              look={published}
              host={look.host}
              publicUrl={publicUrl}
              hasOpenDay={isDayOpen(published.day.date, clock.now())}
            />,
            options,
          )
    },
  }
}

const OUTCOMES = { up: 'Up', down: 'Down', not_measured: 'Not measured' } as const

type ShownProps = {
  readonly look: PublishedLook
  readonly host: string
  readonly publicUrl: string
  /** Whether the looks of its day can be read yet. */
  readonly hasOpenDay: boolean
}

function LookShown({ look, host, publicUrl, hasOpenDay }: ShownProps) {
  const { id, endpoint, at, client, purpose, method, outcome, cause, httpStatus, day } = look
  const found = [
    ...look.disagreements.map((text) => <Seller text={text} max={400} />),
    ...look.problems.map((code) => <code>{cleanText(code, 60)}</code>),
  ]
  return (
    <Layout
      title={`Look ${id}`}
      description={`One look at an endpoint of ${cleanText(host, 80)}, as it was recorded.`}
      path={lookPath(id, endpoint)}
      publicUrl={publicUrl}
    >
      <h1>Look {cleanText(id, 64)}</h1>
      <p class="lede">
        <EndpointName url={endpoint} max={300} /> of <HostLink host={host} />, at <Moment at={at} />.
      </p>
      <div class="stack">
        <Panel id="seen" title="What was seen">
          <Definitions
            class="terms"
            list={[
              {
                term: 'Result',
                text: `${OUTCOMES[outcome]}: ${cause.replaceAll('_', ' ')}${httpStatus === null ? '' : `, status ${httpStatus}`}`,
              },
              {
                term: 'Offers',
                text: <Offers offers={look.offers} />,
              },
              {
                term: 'What disagreed',
                text: found.length === 0 ? 'nothing' : found.map((one) => <div>{one}</div>),
              },
              {
                term: 'Client',
                text: `${cleanText(client, 40)}, ${purpose}`,
              },
              { term: 'Method', text: cleanText(method, 12) },
            ]}
          />
        </Panel>
        <Panel id="proof" title="Proof that it was recorded then">
          <p>
            It is a line of{' '}
            {hasOpenDay ? (
              <a href={day.url.slice(publicUrl.length)}>the looks of {day.date}</a>
            ) : (
              `the looks of ${day.date}, which are published from 24 hours after the end of that day on`
            )}
            {day.leaf === null ? (
              '; the log holds no leaf of that day yet.'
            ) : (
              <>
                , whose hash is <a href={leafPath(day.leaf)}>leaf {day.leaf} of the log</a>.
              </>
            )}
          </p>
        </Panel>
        <CheckYourself method={method} endpoint={endpoint} />
      </div>
    </Layout>
  )
}
