import { type Delivery, findKnownNetwork, isCanonicalUsdc, UNBUYABLE_REASONS } from '@touchstone402/shared'
import type { ReceiverRecord } from '../../facts/facts.ts'
import { toDate } from '../../facts/times.ts'
import { breakDownScore, type ScorePart, scoreInputOf } from '../../judge/scoreParts.ts'
import { type Definition, Definitions, Panel } from '../components/panel.tsx'
import { Address, EndpointName, Measured, Seller } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { formatPoints, formatUsd, plural } from '../format.ts'
import { cleanText } from '../text.ts'
import { isRotating, type ProfileView } from './loadProfile.ts'
import { describePeriod } from './timeline.ts'

const SHOWN_STEPS = 8

type Props = { readonly view: ProfileView }

/** How the score of the endpoint in focus adds up. Empty without a score, or for one of an earlier version. */
export function ScoreParts({ view: { focus, endpoints } }: Props) {
  const { state, score } = focus
  const parts = score === null ? null : breakDownScore(scoreInputOf(state))
  if (parts === null) return null
  return (
    <Panel id="score" title={`How the score of ${score} adds up`}>
      {endpoints.length > 1 && (
        <p class="small">
          Of <EndpointName url={state.endpoint} />. The score of the host is the median of its live endpoints.
        </p>
      )}
      <Table class="parts" scroll="Parts of the score" rows={parts} columns={PART_COLUMNS} />
    </Panel>
  )
}

const PART_COLUMNS = [
  { name: 'Factor', cell: ({ name }: ScorePart) => name },
  { name: 'Measured', share: 'half' as const, cell: ({ evidence }: ScorePart) => cleanText(evidence, 160) },
  { name: 'Points', isEnd: true, cell: ({ points }: ScorePart) => formatPoints(points) },
]

/** Terms of the endpoint in focus over time, and the record of its receiver. */
export function Record({ view }: Props) {
  return (
    <Panel id="record" title="Track record">
      <Definitions class="terms" list={[...describeTerms(view), ...describeHistory(view)]} />
    </Panel>
  )
}

/** Describes the current terms, or the last ones of an endpoint that does not answer. */
function describeTerms({ focus: { state, status }, days }: ProfileView): Definition[] {
  const { endpoint, method, network, payTo, priceUsd, terms, listings } = state
  const of = { term: 'Endpoint', text: <EndpointName url={endpoint} /> }
  if (network === null || payTo === null) return [of]
  const isLive = status === 'live'
  const answered = days.findLast(({ up }) => up > 0)
  const latency = isLive ? days.findLast(({ latencyMsP50 }) => latencyMsP50 !== null) : undefined
  const asset = terms.find((term) => term.network === network)?.asset ?? ''
  const sold =
    listings.find(({ ownClaim, title }) => ownClaim && title) ?? listings.find(({ title }) => title)
  const when = isLive
    ? 'Asks for'
    : `Asked for${answered === undefined ? '' : ` until ${answered.date}`}; nothing now`
  return [
    of,
    {
      term: when,
      text: (
        <>
          {formatUsd(priceUsd)} in{' '}
          {isCanonicalUsdc(network, asset) ? 'USDC' : <Address value={asset || '–'} />} on{' '}
          <Seller text={findKnownNetwork(network)?.label ?? network} max={48} /> to{' '}
          {isRotating(state) ? (
            'a new receiver for each request'
          ) : (
            <Address value={payTo} network={network} />
          )}{' '}
          by {cleanText(method, 12)}
        </>
      ),
    },
    ...(latency === undefined
      ? []
      : [{ term: 'Latency', text: `${latency.latencyMsP50} ms (median of ${latency.date})` }]),
    ...(sold?.title ? [{ term: 'Sells', text: <Seller text={sold.title} max={60} /> }] : []),
  ]
}

function describeHistory({
  focus: { state },
  announcements,
  receiver,
  sharedByHosts,
}: ProfileView): Definition[] {
  const { network } = state
  const prices = state.priceHistory.map(({ priceUsd, amountAtomic, ...period }) =>
    describePeriod(priceUsd === null ? `${amountAtomic} units` : formatUsd(priceUsd), period),
  )
  const receivers = state.payToHistory.map(({ payTo, ...period }) => describePeriod(payTo, period))
  const announced = announcements.map(({ oldPayTo, newPayTo, validFrom, basis }) => {
    const receivers = [...new Set([oldPayTo, newPayTo])].join(' → ')
    return `${receivers} from ${toDate(validFrom)} on: ${BASES[basis]}.`
  })
  const uses = sharedByHosts !== null && sharedByHosts > 1 ? ` Used by ${sharedByHosts} audited hosts.` : ''
  return [
    { term: 'Prices', text: <Steps texts={prices} /> },
    ...(isRotating(state)
      ? []
      : [
          { term: 'Receivers', text: <Steps texts={receivers} network={network} /> },
          {
            term: 'Receiver on chain',
            text: receiver === undefined ? 'not looked up' : describeReceiver(receiver) + uses,
          },
        ]),
    ...(announcements.length > 0
      ? [{ term: 'Announced', text: <Steps texts={announced} network={network} /> }]
      : []),
    ...(state.delivery ? [{ term: 'Test purchases', text: describeDelivery(state.delivery) }] : []),
  ]
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
  const block = `at block ${blockNumber.toLocaleString('en-US')}, read from ${toDate(historyFrom)} on`
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
