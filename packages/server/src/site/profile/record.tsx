import { LIMITS } from '../../domain/judge/spec.ts'
import { LatencyPlot, PricePlot } from '../components/plots.tsx'
import { ProbeCells } from '../components/probeCells.tsx'
import { Address, Day, EndpointName, Moment } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import { plural } from '../text.ts'
import { focusUrl } from './endpoints.tsx'
import type { ProfileView } from './loadProfile.ts'

const SHOWN_PICKS = 8
const SHOWN_STEPS = 12

/** The track record of the endpoint in focus: probes, latency, prices, receivers. */
export function Record({ view }: { view: ProfileView }) {
  const { focus, history, now, days } = view
  const own = days.filter(({ endpoint }) => endpoint === focus.state.endpoint)
  const { uptime } = history
  return (
    <section class="panel" aria-labelledby="record">
      <h2 id="record">Track record</h2>
      <Picker view={view} />
      <p class="lede">
        <EndpointName url={focus.state.endpoint} />
        {uptime.pct === null
          ? `: ${plural(uptime.probes, 'probe')} in ${uptime.windowDays} days, too few to state an uptime.`
          : `: up in ${uptime.pct}% of ${plural(uptime.probes, 'probe')} in ${uptime.windowDays} days; likely between ${uptime.lowerBound}% and ${uptime.upperBound}%. Trend: ${history.trend.direction}.`}
      </p>
      <ProbeCells days={own} now={now} />
      <DayTable days={own} />
      <Plots view={view} days={own} />
      <div class="pair">
        <Receivers view={view} />
        <Prices view={view} />
      </div>
    </section>
  )
}

function Plots({ view, days }: { view: ProfileView; days: ProfileView['days'] }) {
  const steps = view.history.priceHistory.flatMap(({ priceUsd, from }) =>
    priceUsd === null ? [] : [{ from: Date.parse(from), usd: priceUsd }],
  )
  return (
    <div class="pair">
      <figure>
        <h3>Latency</h3>
        <LatencyPlot days={days} />
        <LatencyKey />
        {days.filter(({ latencyMsP50 }) => latencyMsP50 !== null).length < 2 && (
          <p class="empty">Two days with answers make the first line.</p>
        )}
      </figure>
      <figure>
        <h3>Price a call</h3>
        <PricePlot steps={steps} now={view.now} />
        {steps.length === 0 && <p class="empty">No price was seen yet.</p>}
      </figure>
    </div>
  )
}

/** Which line is which. */
function LatencyKey() {
  const stroke = (kind: string) => (
    <svg class="stroke plot" viewBox="0 0 26 8" aria-hidden="true">
      <path class={kind} d="M1 4H25" />
    </svg>
  )
  return (
    <ul class="legend">
      <li>{stroke('p-line')} p50, the median</li>
      <li>{stroke('p-soft')} p90</li>
    </ul>
  )
}

function Picker({ view: { endpoints, focus, host } }: { view: ProfileView }) {
  if (endpoints.length < 2) return null
  const picks = [focus, ...endpoints.filter((endpoint) => endpoint !== focus)].slice(0, SHOWN_PICKS)
  return (
    <nav class="pick" aria-label="Endpoint whose record is shown">
      {endpoints
        .filter((endpoint) => picks.includes(endpoint))
        .map((endpoint) => (
          <a
            href={focusUrl(host, endpoint.state.endpoint)}
            {...(endpoint === focus && { 'aria-current': 'true' as const })}
          >
            <bdi class="mono">{pathOf(endpoint.state.endpoint)}</bdi>
          </a>
        ))}
    </nav>
  )
}

function DayTable({ days }: { days: ProfileView['days'] }) {
  if (days.length === 0) return null
  return (
    <details>
      <summary>The same as a table</summary>
      <table>
        <caption>Probes and latency a day; latency of successful probes in milliseconds</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Up</th>
            <th scope="col">Down</th>
            <th scope="col">Not measured</th>
            <th scope="col">p50</th>
            <th scope="col">p90</th>
          </tr>
        </thead>
        <tbody>
          {days
            .slice(-90)
            .reverse()
            .map((day) => (
              <tr>
                <th scope="row">{day.date}</th>
                <td>{day.up}</td>
                <td>{day.down}</td>
                <td>{day.notMeasured}</td>
                <td>{day.latencyMsP50 ?? '–'}</td>
                <td>{day.latencyMsP90 ?? '–'}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}

function Receivers({ view: { history, now, receiver, sharedByHosts } }: { view: ProfileView }) {
  const steps = [...history.payToHistory].reverse()
  return (
    <div>
      <h3>Receivers</h3>
      {steps.length === 0 && <p class="empty">No receiver was seen yet.</p>}
      <ol class="line-list">
        {steps.slice(0, SHOWN_STEPS).map((step) => (
          <li {...(step.to === null && { class: 'now' })}>
            <Address value={step.payTo} href={step.proof.explorerUrl} />
            <div class="small muted">
              <Day at={Date.parse(step.from)} /> to{' '}
              {step.to === null ? 'now' : <Day at={Date.parse(step.to)} />}
            </div>
          </li>
        ))}
      </ol>
      {receiver !== undefined && (
        <p class="small muted">
          On chain at block {receiver.blockNumber.toLocaleString('en-US')}:{' '}
          {plural(receiver.receipts90d, 'USDC receipt')} of {plural(receiver.payers90d, 'payer')} in 90 days
          {receiver.lastReceiptAt !== null && (
            <>
              , last <Moment at={receiver.lastReceiptAt} now={now} />
            </>
          )}
          .
          {receiver.lastOutflowAt !== null && (
            <>
              {' '}
              It last sent USDC on <Moment at={receiver.lastOutflowAt} now={now} />.
            </>
          )}
        </p>
      )}
      {sharedByHosts !== null && (
        <p class="small muted">
          {sharedByHosts === 1
            ? 'No other audited host names it.'
            : `${sharedByHosts} audited hosts name it.`}
        </p>
      )}
    </div>
  )
}

function Prices({ view: { history } }: { view: ProfileView }) {
  const steps = [...history.priceHistory].reverse()
  return (
    <div>
      <h3>Prices</h3>
      {steps.length === 0 && <p class="empty">No price was seen yet.</p>}
      <ol class="line-list">
        {steps.slice(0, SHOWN_STEPS).map((step) => (
          <li {...(step.to === null && { class: 'now' })}>
            <strong class="num">
              {step.priceUsd === null ? `${step.amountAtomic} (unknown asset)` : formatUsd(step.priceUsd)}
            </strong>
            <div class="small muted">
              <Day at={Date.parse(step.from)} /> to{' '}
              {step.to === null ? 'now' : <Day at={Date.parse(step.to)} />}
            </div>
          </li>
        ))}
      </ol>
      <p class="small muted">
        A rise counts as a jump from {LIMITS.priceJumpPct} % and {formatUsd(LIMITS.priceJumpUsd)} on.
      </p>
    </div>
  )
}

function pathOf(endpoint: string): string {
  return endpoint.replace(/^[a-z]+:\/\/[^/]*/, '').slice(0, 60)
}
