import { findNetwork } from '@touchstone402/shared'
import { transactionProof } from '../../domain/facts/explorer.ts'
import type { Purchase, Time } from '../../domain/facts/facts.ts'
import { toTimestamp } from '../../domain/facts/times.ts'
import { Panel } from '../components/panel.tsx'
import { Address, Moment, OutLink, Seller } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'

/** Describes a test purchase that a finding rests on: what was paid, and what came back. */
export function describePurchase(purchase: Purchase) {
  const { id, at, network, payTo, amountAtomic, txHash, settled, delivered } = purchase
  const { httpStatus = null, excerpt = null } = purchase
  const paid = { network, payTo, amountAtomic, txHash, settled }
  return { id, at: toTimestamp(at), ...paid, delivered, httpStatus, excerpt }
}

type Props = { readonly purchases: readonly Purchase[]; readonly now: Time }

/** The test purchases of a finding. Empty without any. */
export function PurchasePanel({ purchases, now }: Props) {
  if (purchases.length === 0) return null
  return (
    <Panel id="purchases" title="Test purchases">
      <ul class="evidence">
        {purchases.map((purchase) => (
          <li>
            <Bought purchase={purchase} now={now} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Bought({ purchase, now }: { readonly purchase: Purchase; readonly now: Time }) {
  const { at, network, payTo, txHash, settled, delivered, httpStatus, excerpt } = purchase
  return (
    <>
      <p>
        <Moment at={at} now={now} />: paid {formatAmount(purchase)} to{' '}
        <Address value={payTo} network={network} />
        {', '}
        {txHash === null ? (
          'which did not settle'
        ) : (
          <>
            settled in{' '}
            <OutLink href={transactionProof(network, txHash, null).explorerUrl}>transaction</OutLink>{' '}
            <code>{txHash}</code>
          </>
        )}
        . {describeAnswer(httpStatus, delivered && settled)}
      </p>
      {excerpt != null && (
        <p class="small muted">
          The answer began with:{' '}
          <q>
            <Seller text={excerpt} max={200} />
          </q>
        </p>
      )}
    </>
  )
}

function describeAnswer(httpStatus: number | null | undefined, isDelivered: boolean): string {
  if (httpStatus === undefined) return isDelivered ? 'It was delivered.' : 'Nothing was delivered.'
  if (httpStatus === null) return 'No answer came.'
  return `The answer was HTTP ${httpStatus}${isDelivered ? '.' : ', without a delivery.'}`
}

/** Test purchases pay in USDC of a known network. */
function formatAmount({ network, amountAtomic }: Purchase): string {
  const isKnown = findNetwork(network) !== undefined && /^\d{1,15}$/.test(amountAtomic)
  return isKnown ? `${formatUsd(Number(amountAtomic) / 1e6)} in USDC` : `${amountAtomic} units`
}
