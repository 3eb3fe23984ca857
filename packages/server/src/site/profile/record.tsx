import type { PricePeriod } from '@touchstone402/shared'
import { type Delivery, UNBUYABLE_REASONS } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import type { ReceiverRecord } from '../../facts/facts.ts'
import { breakDownScore, scoreInputOf } from '../../judge/scoreParts.ts'
import { LIMITS } from '../../judge/spec.ts'
import { Definitions, Panel } from '../components/panel.tsx'
import { ProbeCells } from '../components/probeCells.tsx'
import { Day, EndpointName, Measured, Seller } from '../components/prose.tsx'
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
  const prices = state.priceHistory.map(({ priceUsd, amountAtomic, ...period }) =>
    describePeriod(priceUsd === null ? `${amountAtomic} units` : formatUsd(priceUsd), period),
  )
  const receivers = state.payToHistory.map(({ payTo, ...period }) => describePeriod(payTo, period))
  const announced = announcements.map(({ oldPayTo, newPayTo, validFrom, basis }) => {
    const receivers = [...new Set([oldPayTo, newPayTo])].join(' → ')
    return `${receivers} from ${formatDate(validFrom)} on: ${BASES[basis]}.`
  })
  const uses = sharedByHosts !== null && sharedByHosts > 1 ? ` Used by ${sharedByHosts} audited hosts.` : ''
  const facts: Readonly<Record<string, ComponentChild>> = {
    Uptime: `${profile.uptime}${profile.probes < 3 ? '' : ` in ${UPTIME_DAYS} days, by probes or by time, whichever is worse`}`,
    ...(endpoints.length > 1 && { 'Shown here': <EndpointName url={state.endpoint} /> }),
    Prices: <Steps texts={prices} />,
    ...(!isRotating(state) && {
      Receivers: <Steps texts={receivers} network={state.network} />,
      'Receiver stability': state.receiverStability ?? 'not known',
      'Receiver on chain': receiver === undefined ? 'not looked up' : describeReceiver(receiver) + uses,
    }),
    ...(announcements.length > 0 && { Announced: <Steps texts={announced} network={state.network} /> }),
    ...(points.length > 0 && {
      Score: points.map(({ name, points }) => `${name} ${formatPoints(points)}`).join(', '),
    }),
    ...(state.delivery && { 'Test purchases': describeDelivery(state.delivery) }),
    'Live endpoints': isMeasured ? profile.liveness : 'not measured',
    'Listed by': <Seller text={profile.listedBy.join(', ') || 'no directory'} max={80} />,
    'First seen': <Day at={profile.firstSeen} />,
  }
  return (
    <Panel id="record" title="Track record">
      <ProbeCells days={days} now={now} />
      <Definitions class="terms" list={Object.entries(facts).map(([term, text]) => ({ term, text }))} />
    </Panel>
  )
}

/** Describes the outcome of the test purchases at an endpoint. */
export function describeDelivery({ status, month, paidUsd, reason }: Delivery): string {
  const outcome = {
    delivered: `delivered in ${month} for ${formatUsd(paidUsd ?? 0)}`,
    failed: `paid and not delivered in ${month}`,
    never_bought: 'none yet',
    cannot_be_bought: 'none',
  }[status]
  if (reason === null) return outcome
  const said = UNBUYABLE_REASONS[reason]
  return reason === 'receivers_differ' ? `none that counts: ${said}` : `${outcome}; not bought now: ${said}`
}

/** Describes the chain record of a receiver. */
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
/** How receivers were announced or proven: no warning. */
const BASES = {
  signature: 'signed by the old receiver',
  payment_on_chain: 'the old receiver paid the new one the announced amount',
  host_confirmed: "confirmed by the host's owner, not by the old receiver",
  funded_on_chain: 'the old receiver paid the new one before, which announces nothing since score 1.3.0',
  receiver_proof: 'the receiver signed for this host',
}

const describePeriod = (text: string, { from, to }: Pick<PricePeriod, 'from' | 'to'>) =>
  `${text} from ${formatDate(Date.parse(from))} to ${to === null ? 'the last probe' : formatDate(Date.parse(to))}`

/** The periods of a history, newest first. @param props.texts oldest first, with addresses of `network` */
function Steps({ texts, network }: { readonly texts: readonly string[]; readonly network?: string | null }) {
  const newest = texts.toReversed().slice(0, SHOWN_STEPS)
  return newest.length === 0
    ? 'none seen yet'
    : newest.map((text) => (
        <p>
          <Measured text={text} max={240} network={network ?? undefined} />
        </p>
      ))
}
