import type { ComponentChild } from 'preact'
import type { ReceiverRecord } from '../../domain/facts/facts.ts'
import { LIMITS } from '../../domain/judge/spec.ts'
import { Panel } from '../components/panel.tsx'
import { LinePlot } from '../components/plots.tsx'
import { ProbeCells } from '../components/probeCells.tsx'
import { Address, Day, EndpointName } from '../components/prose.tsx'
import { formatUsd, plural } from '../format.ts'
import type { ProfileView } from './loadProfile.ts'

const SHOWN_STEPS = 8
const UPTIME_DAYS = LIMITS.uptimeWindowMs / 86_400_000

/** Track record: the uptime of the host, and the days, latency, receivers and prices of the endpoint in focus. */
export function Record({ view }: { view: ProfileView }) {
  const { focus, history, days, now, profile, endpoints } = view
  const latencies = days.flatMap(({ date, latencyMsP50 }) =>
    latencyMsP50 === null ? [] : [{ at: Date.parse(date), value: latencyMsP50 }],
  )
  const [, uptime, probes] = /(\S+%) by (\d+) probes$/.exec(profile.uptime) ?? []
  return (
    <Panel id="record" title="Track record">
      <p class="lede" id="uptime">
        {uptime === undefined ? (
          `Uptime: ${profile.uptime}.`
        ) : (
          <>
            Uptime <strong>{uptime}</strong> by {probes} probes
            {endpoints.length > 1 && ` at ${endpoints.length} endpoints`} in {UPTIME_DAYS} days, by probes or
            by time, whichever is worse.
          </>
        )}
      </p>
      {endpoints.length > 1 && (
        <p class="small">
          Below: <EndpointName url={focus.state.endpoint} />
        </p>
      )}
      <ProbeCells days={days} now={now} />
      <div class="pair">
        <div>
          <h3>Latency, median of each day</h3>
          <LinePlot
            points={latencies.slice(-90)}
            title="Median latency of each day"
            format={(ms) => `${ms} ms`}
          />
        </div>
        <div>
          <h3>Prices</h3>
          <Steps
            steps={history.priceHistory}
            none="No price seen yet."
            show={({ priceUsd, amountAtomic }) => (
              <strong>
                {priceUsd === null ? `${amountAtomic} units of an unknown token` : formatUsd(priceUsd)}
              </strong>
            )}
          />
        </div>
      </div>
      <h3>Receivers</h3>
      <Steps
        steps={history.payToHistory}
        none="No receiver seen yet."
        show={({ payTo, proof }) => <Address value={payTo} href={proof.explorerUrl} />}
      />
      <Receiver view={view} />
    </Panel>
  )
}

/** What the chain was read to say of the receiver in focus. */
function Receiver({ view: { receiver, sharedByHosts } }: { view: ProfileView }) {
  if (receiver === undefined) return <p class="small muted">Not looked up on chain.</p>
  const { receipts90d, payers90d } = receiver.unadjusted ?? receiver
  const own = receiver.unadjusted && receipts90d > 0
  return (
    <p class="small muted">
      At block {receiver.blockNumber.toLocaleString('en-US')}: {plural(receipts90d, 'USDC receipt')} from{' '}
      {plural(payers90d, 'payer')} in 90 days
      {own && `, ${receiver.receipts90d} from ${receiver.payers90d} that it did not fund itself`}. Read from{' '}
      <Day at={receiver.historyFrom} /> on. {describeSanctions(receiver.sanctions)}
      {sharedByHosts !== null && sharedByHosts > 1 && ` Used by ${sharedByHosts} audited hosts.`}
    </p>
  )
}

/** Says what the sanctions oracle really answered. */
function describeSanctions(sanctions: ReceiverRecord['sanctions']): string {
  if (sanctions === undefined) return 'The sanctions oracle was not asked.'
  if (sanctions.isListed === null) return 'The sanctions oracle gave no answer.'
  return `The sanctions oracle ${sanctions.isListed ? 'lists it' : 'does not list it'}.`
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
  if (steps.length === 0) return <p class="empty">{none}</p>
  return (
    <ol class="line-list">
      {steps
        .toReversed()
        .slice(0, SHOWN_STEPS)
        .map((step) => (
          <li {...(step.to === null && { class: 'now' })}>
            {show(step)}
            <div class="small muted">
              <Day at={step.from} /> to {step.to === null ? 'the last probe' : <Day at={step.to} />}
            </div>
          </li>
        ))}
    </ol>
  )
}
