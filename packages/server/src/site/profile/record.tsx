import type { ComponentChild } from 'preact'
import { breakDownScore, scoreInputOf } from '../../domain/judge/scoreParts.ts'
import { LIMITS } from '../../domain/judge/spec.ts'
import { Definitions, Panel } from '../components/panel.tsx'
import { ProbeCells } from '../components/probeCells.tsx'
import { Address, Day, EndpointName, Seller } from '../components/prose.tsx'
import { shownScore } from '../components/verdictMark.tsx'
import { formatPoints, formatUsd, plural } from '../format.ts'
import { isRotating, type ProfileView } from './loadProfile.ts'

const SHOWN_STEPS = 8
const UPTIME_DAYS = LIMITS.uptimeWindowMs / 86_400_000

/** Track record: the uptime of the host, and the days, prices, receivers and score of the endpoint in focus. */
export function Record({ view }: { view: ProfileView }) {
  const { focus, history, days, now, profile, endpoints, announcements } = view
  const { state } = focus
  const isMeasured = endpoints.some(({ status }) => status !== 'unmeasured')
  const isScored = shownScore(focus) !== null
  const sum = ((isScored && breakDownScore(scoreInputOf(state))) || []).filter(({ points }) => points !== 0)
  const prices = history.priceHistory.map(({ priceUsd, amountAtomic, ...period }) => ({
    ...{ ...period, text: priceUsd === null ? `${amountAtomic} units` : formatUsd(priceUsd) },
  }))
  const receivers = history.payToHistory.map(({ payTo, proof, ...period }) => ({
    ...{ ...period, text: <Address value={payTo} href={proof.explorerUrl} /> },
  }))
  const facts: Readonly<Record<string, ComponentChild>> = {
    Uptime: `${profile.uptime}${profile.probes < 3 ? '' : ` in ${UPTIME_DAYS} days, by probes or by time, whichever is worse`}`,
    ...(endpoints.length > 1 && { 'Shown here': <EndpointName url={state.endpoint} /> }),
    Prices: <Steps steps={prices} />,
    ...(!isRotating(state) && {
      Receivers: <Steps steps={receivers} />,
      'Receiver stability': state.receiverStability ?? 'not known',
      'Receiver on chain': <OnChain view={view} />,
    }),
    ...(announcements.length > 0 && { Announced: <Announced view={view} /> }),
    ...(sum.length > 0 && {
      Score: sum.map(({ name, points }) => `${name} ${formatPoints(points)}`).join(', '),
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

/** What the chain was read to say of the receiver in focus. */
function OnChain({ view: { receiver, sharedByHosts } }: { view: ProfileView }) {
  if (receiver === undefined) return <>not looked up</>
  const { category, receiptsEver, blockNumber, unadjusted, sanctions } = receiver
  const { receipts90d, payers90d } = unadjusted ?? receiver
  const isOwn = unadjusted !== undefined && receipts90d > receiver.receipts90d
  return (
    <>
      {category !== 'blank' ? category : receiptsEver === 0 ? 'no history' : 'little history'}:{' '}
      {plural(receipts90d, 'USDC receipt')} from {plural(payers90d, 'payer')} in 90 days
      {isOwn && `, ${receiver.receipts90d} from ${receiver.payers90d} that it did not fund itself`}, at block{' '}
      {blockNumber.toLocaleString('en-US')}, read from <Day at={receiver.historyFrom} /> on. The sanctions
      oracle {sanctions === undefined ? 'was not asked' : SANCTIONS[`${sanctions.isListed}`]}.
      {sharedByHosts !== null && sharedByHosts > 1 && ` Used by ${sharedByHosts} audited hosts.`}
    </>
  )
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
          {oldPayTo !== newPayTo && (
            <>
              <Address value={oldPayTo} network={network} />
              {' → '}
            </>
          )}
          <Address value={newPayTo} network={network} /> from <Day at={validFrom} /> on: {BASES[basis]}.
        </li>
      ))}
    </ul>
  )
}

type Step = { readonly from: string; readonly to: string | null; readonly text: ComponentChild }

/** The periods of a history, newest first. @param props.steps oldest first */
function Steps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return <>none seen yet</>
  return (
    <ol>
      {steps
        .toReversed()
        .slice(0, SHOWN_STEPS)
        .map(({ text, from, to }) => (
          <li>
            {text}{' '}
            <span class="small muted">
              from <Day at={from} />
              {' to '}
              {to === null ? 'the last probe' : <Day at={to} />}
            </span>
          </li>
        ))}
    </ol>
  )
}
