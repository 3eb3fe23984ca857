import { Address, Seller } from '../components/prose.tsx'
import { Part } from './part.tsx'
import type { OwnerView } from './readView.ts'

/** Shows how to fund a test purchase of a call that costs more than the usual limit. */
export function Fund({ view: { funding } }: { readonly view: OwnerView }) {
  return (
    <Part id="funding" title="Fund a test purchase">
      <p>
        These calls cost more than the service usually pays for a test. Send exactly this amount of USDC from
        the receiver of the endpoint, and the service buys one call 1 to 14 days later. Its outcome is shown 3
        to 21 days after that. The amount is not refunded. If nothing can be bought within 90 days, or another
        amount comes, it is kept without a purchase.
      </p>
      <ul>
        {funding.map(({ endpoint, network, from, to, amountUsd }) => (
          <li>
            <Seller text={endpoint} max={120} />: <code>{amountUsd}</code> USDC from{' '}
            <Address value={from} network={network} /> to <Address value={to} network={network} />
          </li>
        ))}
      </ul>
    </Part>
  )
}
