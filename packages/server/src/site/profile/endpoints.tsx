import { EndpointName } from '../components/prose.tsx'
import { Scroll } from '../components/scroll.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { formatUsd } from '../format.ts'
import { cleanText, plural } from '../text.ts'
import type { EndpointView, ProfileView } from './loadProfile.ts'

const SHOWN = 40

/** Every endpoint of the host with its method, status, price and trust; a long list is cut and says so. */
export function Endpoints({ view }: { view: ProfileView }) {
  const { endpoints, host } = view
  return (
    <section class="panel" aria-labelledby="endpoints">
      <h2 id="endpoints">Endpoints</h2>
      <Scroll label="Table of endpoints">
        <table class="rows cards">
          <thead>
            <tr>
              <th scope="col">Endpoint</th>
              <th scope="col">Status</th>
              <th scope="col" class="end">
                Price
              </th>
              <th scope="col" class="end">
                Uptime
              </th>
              <th scope="col" class="end">
                Trust
              </th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {endpoints.slice(0, SHOWN).map((endpoint) => (
              <EndpointLine endpoint={endpoint} host={host} isOnly={endpoints.length === 1} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {endpoints.length > SHOWN && (
        <p class="muted small">
          {plural(endpoints.length - SHOWN, 'more endpoint')}: ask for this page as{' '}
          <code>application/json</code> to get all.
        </p>
      )}
    </section>
  )
}

function EndpointLine(props: { endpoint: EndpointView; host: string; isOnly: boolean }) {
  const { state, verdict, score } = props.endpoint
  const name = <EndpointName url={state.endpoint} />
  return (
    <tr>
      <th scope="row">
        <span class="method">{cleanText(state.method, 12)}</span>
        {props.isOnly ? name : <a href={focusUrl(props.host, state.endpoint)}>{name}</a>}
      </th>
      <td data-name="Status">
        {state.status}
        {state.degraded && <span class="muted">, degraded</span>}
      </td>
      <td class="end" data-name="Price">
        {formatUsd(state.priceUsd)}
      </td>
      <td class="end" data-name="Uptime">
        {state.uptime.pct === null ? '–' : `${state.uptime.pct}%`}
      </td>
      <td class="end trust" data-name="Trust">
        {score ?? '–'}
      </td>
      <td data-name="Verdict">
        <VerdictTag verdict={verdict} />
      </td>
    </tr>
  )
}

/** The profile with another endpoint's track record. */
export function focusUrl(host: string, endpoint: string): string {
  return `/services/${encodeURIComponent(host)}?endpoint=${encodeURIComponent(endpoint)}#record`
}
