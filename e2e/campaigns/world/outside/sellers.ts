import { encodeBase64Json, X402_HEADERS } from '@touchstone402/shared'
import {
  type Ask,
  type FacilitatorDouble,
  OFFER_FORMS,
  type OfferForm,
  readTransfer,
  type SignedTransfer,
  TWISTS,
  type TwistName,
} from '@touchstone402/shared/market'
import { NETWORK, USDC } from './chain.ts'

/** Ways in which a seller deals with a payment. All but `delivers` are a thief's, or a broken seller's. */
export const DEALINGS = [
  'delivers',
  'keeps',
  'collectsAndFails',
  'failsThenCollects',
  'asksAgain',
  'asksMore',
  'denies',
  'redirects',
  'hangs',
  'empty',
  'emptyAndFree',
  'noReceipt',
  'forbids',
] as const
export type Dealing = (typeof DEALINGS)[number]

/** A seller of a world. */
export type Seller = {
  readonly host: string
  readonly form: OfferForm
  /** In the smallest unit of USDC, which is a millionth of a dollar. */
  readonly price: bigint
  readonly payTo: string
  readonly isHonest: boolean
  /** A thief changes these as it likes. */
  twist: TwistName | null
  dealing: Dealing
  /** Answers by the nonce that paid for them, as honest sellers keep them for retries. */
  readonly answered: Map<string, SellerAnswer>
}

/** A request as a seller reads it. */
export type SellerRequest = { readonly url: string; readonly headers: Headers }

/** The answer of a seller; null leaves the connection open without one. */
export type SellerAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
} | null

/** State that all sellers share. */
export type MarketParts = {
  readonly facilitator: FacilitatorDouble
  /** Address of all thieves. */
  readonly thief: string
  /** Payments that thieves keep to collect them later. */
  readonly held: SignedTransfer[]
  /** Numbers the challenges. */
  nextId(): number
}

const TIMEOUT_SECONDS = 60

/** Returns what a seller asks for when it is honest. */
export const honestAsk = ({ price, payTo }: Pick<Seller, 'price' | 'payTo'>): Ask => ({
  payTo,
  amount: price.toString(),
  network: NETWORK,
  asset: USDC,
  maxTimeoutSeconds: TIMEOUT_SECONDS,
  scheme: 'exact',
  extra: { name: 'USD Coin', version: '2' },
})

/** Answers a request. */
export function answerRequest(seller: Seller, parts: MarketParts, request: SellerRequest): SellerAnswer {
  const transfer = readTransfer(request.headers)
  if (transfer === null) return challenge(seller, parts, request, seller.twist)
  return seller.isHonest ? serve(seller, parts, request, transfer) : deal(seller, parts, request, transfer)
}

function challenge(
  seller: Seller,
  parts: MarketParts,
  { url }: SellerRequest,
  twist: TwistName | null,
): SellerAnswer {
  const honest = [honestAsk(seller)]
  const asks = twist === null ? honest : TWISTS[twist](honest, parts)
  const written = OFFER_FORMS[seller.form](asks, { resource: url, id: `c${parts.nextId()}` })
  return { status: 402, ...written }
}

/** Answers a paid request as an honest seller does: once settled, a retry gets the same answer. */
function serve(
  seller: Seller,
  parts: MarketParts,
  request: SellerRequest,
  transfer: SignedTransfer,
): SellerAnswer {
  const known = seller.answered.get(transfer.nonce)
  if (known !== undefined) return known
  // By upto an honest seller collects what the call has cost, such as half of the ceiling.
  const amount = transfer.scheme === 'upto' ? BigInt(transfer.value) / 2n : undefined
  const settled = parts.facilitator.settle(transfer, honestAsk(seller), amount)
  if (!settled.success) return challenge(seller, parts, request, null)
  const answer = deliver(transfer, settled.transaction)
  seller.answered.set(transfer.nonce, answer)
  return answer
}

function deliver({ nonce }: SignedTransfer, transaction: string | null): SellerAnswer {
  const receipt = encodeBase64Json({ success: true, transaction, network: 'base' })
  const headers: Record<string, string> =
    transaction === null ? {} : { [X402_HEADERS.response]: receipt, [X402_HEADERS.v1Response]: receipt }
  return { status: 200, headers, body: JSON.stringify({ paidBy: nonce }) }
}

/** Answers a paid request as a thief or a broken seller does. */
function deal(
  seller: Seller,
  parts: MarketParts,
  request: SellerRequest,
  transfer: SignedTransfer,
): SellerAnswer {
  const { facilitator, held } = parts
  const collect = () => {
    const settled = facilitator.settle(transfer)
    return settled.success ? settled.transaction : null
  }
  const plain = (status: number, body = '', headers = {}) => ({ status, headers, body })
  switch (seller.dealing) {
    case 'delivers':
      return deliver(transfer, collect())
    case 'keeps':
      held.push(transfer)
      return deliver(transfer, `0x${'9'.repeat(64)}`)
    case 'collectsAndFails':
      collect()
      return plain(500, 'Try again.')
    case 'failsThenCollects':
      held.push(transfer)
      return plain(503, 'Try again.')
    case 'asksAgain':
      collect()
      return challenge(seller, parts, request, null)
    case 'asksMore':
      held.push(transfer)
      return challenge(seller, parts, request, 'price')
    case 'denies':
      held.push(transfer)
      return challenge(seller, parts, request, null)
    case 'redirects':
      collect()
      return plain(302, '', { location: 'https://thief.example/' })
    case 'hangs':
      held.push(transfer)
      return null
    case 'empty':
      return { ...plain(200), headers: deliver(transfer, collect())?.headers ?? {} }
    case 'emptyAndFree':
      return plain(204)
    case 'noReceipt':
      collect()
      return deliver(transfer, null)
    case 'forbids':
      held.push(transfer)
      return plain(403, 'No.')
  }
}
