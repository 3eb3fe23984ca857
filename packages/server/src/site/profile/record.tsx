import type { PricePeriod, ReceiverPeriod } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import type { ReceiverRecord } from '../../domain/facts/facts.ts'
import { breakDownScore, scoreInputOf } from '../../domain/judge/scoreParts.ts'
import { LIMITS } from '../../domain/judge/spec.ts'
import { Definitions, Panel } from '../components/panel.tsx'
import { ProbeCells } from '../components/probeCells.tsx'
import { Address, Day, EndpointName, Measured, Seller } from '../components/prose.tsx'
import { shownScore } from '../components/verdictMark.tsx'
import { formatDate, formatPoints, formatUsd, plural } from '../format.ts'
import { isRotating, type ProfileView } from './loadProfile.ts'

const SHOWN_STEPS = 8
const UPTIME_DAYS = LIMITS.uptimeWindowMs / 86_400_000

/** Track record: the uptime of the host, and the days, prices, receivers and score of the endpoint in focus. */
export function Record({ view }: { view: ProfileView }) {
  const { focus, days, now, profile, endpoints, announcements, receiver, sharedByHosts } = view
  const { state } = focus
  const isMeasured = endpoints.some(({ status }) => status !== 'unmeasured')
  const sum = shownScore(focus) === null ? null : breakDownScore(scoreInputOf(state))
  const points = (sum ?? []).filter((part) => part.points !== 0)
  const showPrice = ({ priceUsd, amountAtomic }: PricePeriod) =>
    priceUsd === null ? `${amountAtomic} units` : formatUsd(priceUsd)
  const showReceiver = ({ payTo, proof }: ReceiverPeriod) => (
    <Address value={payTo} href={proof.explorerUrl} />
  )
  const uses = sharedByHosts !== null && sharedByHosts > 1 ? ` Used by ${sharedByHosts} audited hosts.` : ''
  const facts: Readonly<Record<string, ComponentChild>> = {
    Uptime: `${profile.uptime}${profile.probes < 3 ? '' : ` in ${UPTIME_DAYS} days, by probes or by time, whichever is worse`}`,
    ...(endpoints.length > 1 && { 'Shown here': <EndpointName url={state.endpoint} /> }),
    Prices: <Steps periods={state.priceHistory} show={showPrice} />,
    ...(!isRotating(state) && {
      Receivers: <Steps periods={state.payToHistory} show={showReceiver} />,
      'Receiver stability': state.receiverStability ?? 'not known',
      'Receiver on chain': receiver === undefined ? 'not looked up' : describeReceiver(receiver) + uses,
    }),
    ...(announcements.length > 0 && { Announced: <Announced view={view} /> }),
    ...(points.length > 0 && {
      Score: points.map(({ name, points }) => `${name} ${formatPoints(points)}`).join(', '),
    }),
    'Live endpoints': isMeasured ? profile.liveness : 'not measured',
    'Listed by': <Seller text={profile.listedBy.join(', ') || 'nobody'} max={80} />,
    'First seen': <Day at={profile.firstSeen} />,
  }
  return (
    <Panel id="record" title="Track record">
      <ProbeCells days={days} now={now} />
      <Definitions class="terms" list={Object.entries(facts).map(([term, text]) => ({ term, text }))} />
    </Panel>
  )
}

/** Says what the chain was read to say of a receiver. */
export function describeReceiver(receiver: ReceiverRecord): string {
  const { category, receiptsEver, blockNumber, historyFrom, unadjusted, sanctions } = receiver
  const { receipts90d, payers90d } = unadjusted ?? receiver
  const kind = category !== 'blank' ? category : receiptsEver === 0 ? 'no history' : 'little history'
  const paid = `${plural(receipts90d, 'USDC receipt')} from ${plural(payers90d, 'payer')} in 90 days`
  const own = `, ${receiver.receipts90d} from ${receiver.payers90d} that it did not fund itself`
  const block = `at block ${blockNumber.toLocaleString('en-US')}, read from ${formatDate(historyFrom)} on`
  const oracle = sanctions === undefined ? 'was not asked' : SANCTIONS[`${sanctions.isListed}`]
  return `${kind}: ${paid}${receipts90d > receiver.receipts90d ? own : ''}, ${block}. The sanctions oracle ${oracle}.`
}

const SANCTIONS = { true: 'lists it', false: 'does not list it', null: 'gave no answer' }
const BASES = {
  signature: 'signed by the old receiver',
  funded_on_chain: 'the old receiver paid the new one before',
  receiver_proof: 'the receiver signed for this host',
}

/** Receivers that were announced or proven: no warning. */
function Announced({ view: { announcements } }: { view: ProfileView }) {
  return (
    <ul>
      {announcements.map(({ network, oldPayTo, newPayTo, validFrom, basis }) => (
        <li>
          <Measured text={[...new Set([oldPayTo, newPayTo])].join(' → ')} max={240} network={network} />
          {` from ${formatDate(validFrom)} on: ${BASES[basis]}.`}
        </li>
      ))}
    </ul>
  )
}

type StepsProps<T> = { readonly periods: readonly T[]; readonly show: (period: T) => ComponentChild }

/** The periods of a history, newest first. @param props.periods oldest first */
function Steps<T extends PricePeriod | ReceiverPeriod>({ periods, show }: StepsProps<T>) {
  if (periods.length === 0) return <>none seen yet</>
  const newest = periods.toReversed().slice(0, SHOWN_STEPS)
  return (
    <ol>
      {newest.map((period) => (
        <li>
          {show(period)} from <Day at={period.from} /> to{' '}
          {period.to === null ? 'the last probe' : <Day at={period.to} />}
        </li>
      ))}
    </ol>
  )
}
