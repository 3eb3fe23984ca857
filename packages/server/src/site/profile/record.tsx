import type { ComponentChild } from 'preact'
import type { ReceiverRecord } from '../../domain/facts/facts.ts'
import { LIMITS } from '../../domain/judge/spec.ts'
import { Choices, Panel } from '../components/panel.tsx'
import { LatencyPlot, LinePlot } from '../components/plots.tsx'
import { ProbeCells } from '../components/probeCells.tsx'
import { Address, Day, EndpointName, MomentSentence, Outage } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { formatDate, formatUsd, plural } from '../format.ts'
import { focusPath } from '../paths.ts'
import type { ProfileView } from './loadProfile.ts'

const SHOWN_PICKS = 8
const SHOWN_STEPS = 12
const TABLE_DAYS = 90

type Days = ProfileView['days']

/** Track record of the endpoint in focus: probes, latency, prices, receivers. */
export function Record({ view }: { view: ProfileView }) {
  const { focus, history, days, now } = view
  const { uptime } = history
  const basis = `${plural(uptime.probes, 'probe')} in ${uptime.windowDays} days`
  return (
    <Panel id="record" title="Track record">
      <Picker view={view} />
      <p class="lede">
        <EndpointName url={focus.state.endpoint} />:{' '}
        <Outage status={focus.status} darkSince={history.darkSince} />
        {uptime.pct === null
          ? `${basis}, too few for an uptime.`
          : `up in ${uptime.pct}% of ${basis}; likely between ${uptime.lowerBound}% and ${uptime.upperBound}%. Trend: ${history.trend.direction}.`}
      </p>
      <ProbeCells days={days} now={now} />
      {days.length > 0 && <DayTable days={days} />}
      <div class="pair">
        <Latency days={days} />
        <PriceHistory view={view} />
      </div>
      <div class="pair">
        <Receivers view={view} />
        <Prices view={view} />
      </div>
    </Panel>
  )
}

function Picker({ view: { endpoints, shown, focus, host } }: { view: ProfileView }) {
  if (endpoints.length < 2) return null
  const all = shown.includes(focus) ? shown : [focus, ...shown]
  const picks = [focus, ...all.filter((endpoint) => endpoint !== focus)].slice(0, SHOWN_PICKS)
  const options = all
    .filter((endpoint) => picks.includes(endpoint))
    .map(({ state: { endpoint } }) => ({
      href: `${focusPath(host, endpoint)}#record`,
      text: <bdi class="mono">{endpoint.replace(/^[a-z]+:\/\/[^/]*/, '').slice(0, 60)}</bdi>,
      isCurrent: endpoint === focus.state.endpoint,
    }))
  return <Choices class="pick" label="Endpoint whose record is shown" options={options} />
}

function DayTable({ days }: { days: Days }) {
  return (
    <Table
      isFolded
      caption="Probes and latency per day; latency of successful probes in milliseconds"
      rows={days.slice(-TABLE_DAYS).reverse()}
      columns={[
        { name: 'Day', cell: ({ date }) => date },
        { name: 'Up', cell: ({ up }) => up },
        { name: 'Down', cell: ({ down }) => down },
        { name: 'Not measured', cell: ({ notMeasured }) => notMeasured },
        { name: 'p50', cell: ({ latencyMsP50 }) => latencyMsP50 ?? '–' },
        { name: 'p90', cell: ({ latencyMsP90 }) => latencyMsP90 ?? '–' },
      ]}
    />
  )
}

function Latency({ days }: { days: Days }) {
  const stroke = (kind: string) => (
    <svg class="stroke plot" viewBox="0 0 26 8" aria-hidden="true">
      <path class={kind} d="M1 4H25" />
    </svg>
  )
  return (
    <figure>
      <h3>Latency</h3>
      <LatencyPlot days={days} />
      <ul class="legend">
        <li>{stroke('p-line')} p50, the median</li>
        <li>{stroke('p-soft')} p90</li>
      </ul>
      {days.filter(({ latencyMsP50 }) => latencyMsP50 !== null).length < 2 && (
        <p class="empty">Drawn from the second day with answers on.</p>
      )}
    </figure>
  )
}

function PriceHistory({ view: { history, now } }: { view: ProfileView }) {
  const steps = history.priceHistory.flatMap(({ priceUsd, from }) =>
    priceUsd === null ? [] : [{ at: Date.parse(from), value: priceUsd }],
  )
  const [first] = steps
  const last = steps.at(-1)
  return (
    <figure>
      <h3>Price per call</h3>
      {first === undefined || last === undefined ? (
        <p class="empty">No price seen yet: it is drawn from the first answer with terms on.</p>
      ) : (
        <LinePlot
          isStepped
          points={[...steps, { ...last, at: now }]}
          title={`Price per call from ${formatDate(first.at)} to ${formatDate(now)}: ${steps.map(({ value }) => formatUsd(value)).join(', then ')}`}
          format={formatUsd}
        />
      )}
    </figure>
  )
}

function Receivers({ view: { history, now, receiver, sharedByHosts } }: { view: ProfileView }) {
  return (
    <div>
      <h3>Receivers</h3>
      <Steps
        steps={history.payToHistory}
        none="No receiver seen yet."
        show={({ payTo, proof }) => <Address value={payTo} href={proof.explorerUrl} />}
      />
      {receiver !== undefined && (
        <p class="small muted">
          On chain at block {receiver.blockNumber.toLocaleString('en-US')}:{' '}
          {plural((receiver.unadjusted ?? receiver).receipts90d, 'USDC receipt')} from{' '}
          {plural((receiver.unadjusted ?? receiver).payers90d, 'payer')} in 90 days
          {receiver.unadjusted !== undefined && receiver.unadjusted.receipts90d > 0 && (
            <>
              ; {receiver.receipts90d} from {receiver.payers90d}, not counting payers that it funded itself
            </>
          )}
          .{' '}
          {receiver.isWholeLife === true ? (
            'All blocks were read.'
          ) : (
            <>
              Read from <Day at={receiver.historyFrom} /> on.
            </>
          )}
          {receiver.sanctions !== undefined && <Sanctions sanctions={receiver.sanctions} />}
          <MomentSentence text="Last received USDC on" at={receiver.lastReceiptAt} now={now} />
          <MomentSentence text="Last sent USDC on" at={receiver.lastOutflowAt} now={now} />
        </p>
      )}
      {sharedByHosts !== null && (
        <p class="small muted">
          {sharedByHosts === 1 ? 'Used by no other audited host.' : `Used by ${sharedByHosts} audited hosts.`}
        </p>
      )}
    </div>
  )
}

function Sanctions({
  sanctions: { contract, isListed },
}: {
  sanctions: NonNullable<ReceiverRecord['sanctions']>
}) {
  const found = isListed === null ? 'gave no answer' : isListed ? 'lists it' : 'does not list it'
  return (
    <>
      {' '}
      The sanctions oracle <Address value={contract} /> {found}.
    </>
  )
}

function Prices({ view: { history } }: { view: ProfileView }) {
  return (
    <div>
      <h3>Prices</h3>
      <Steps
        steps={history.priceHistory}
        none="No price seen yet."
        show={({ priceUsd, amountAtomic }) => (
          <strong class="num">
            {priceUsd === null ? `${amountAtomic} units of an unknown token` : formatUsd(priceUsd)}
          </strong>
        )}
      />
      <p class="small muted">
        An increase counts as a jump from {LIMITS.priceJumpPct}% and {formatUsd(LIMITS.priceJumpUsd)} upwards.
      </p>
    </div>
  )
}

type Step = { readonly from: string; readonly to: string | null }
type StepsProps<T> = {
  /** Oldest first. */
  readonly steps: readonly T[]
  readonly none: string
  readonly show: (step: T) => ComponentChild
}

/** The periods of a history, newest first. */
function Steps<T extends Step>({ steps, none, show }: StepsProps<T>) {
  return (
    <>
      {steps.length === 0 && <p class="empty">{none}</p>}
      <ol class="line-list">
        {steps
          .toReversed()
          .slice(0, SHOWN_STEPS)
          .map((step) => (
            <li {...(step.to === null && { class: 'now' })}>
              {show(step)}
              <div class="small muted">
                <Day at={step.from} /> to {step.to === null ? 'now' : <Day at={step.to} />}
              </div>
            </li>
          ))}
      </ol>
    </>
  )
}
