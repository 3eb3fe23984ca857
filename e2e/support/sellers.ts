import { allSellers, type SellerSpec } from '@touchstone402/economy'

/** Raw headers of the paid requests to `honest-v2`, in their order. */
export const paidRequests: (readonly string[])[] = []

const find = (id: string): SellerSpec => {
  const spec = allSellers.find((seller) => seller.id === id)
  if (spec === undefined) throw new Error(`no such seller: ${id}`)
  return spec
}

/** Records the paid requests to a seller. */
const recorded = (spec: SellerSpec): SellerSpec => ({
  ...spec,
  create(context) {
    const seller = spec.create(context)
    return {
      ...seller,
      handle(request, response) {
        if (request.headers['payment-signature'] !== undefined) paidRequests.push(request.rawHeaders)
        seller.handle(request, response)
      },
    }
  },
})

/** Changes its receiver in the test of live checks alone, since a change stays in the record of a host. */
const swapLive: SellerSpec = {
  ...find('swap-now'),
  id: 'swap-live',
  receiver: { index: 130, past: 'established' },
  otherReceiver: 131,
}

/** The sellers of the shared economy. */
export const SELLERS: readonly SellerSpec[] = [
  ...allSellers.map((spec) => (spec.id === 'honest-v2' ? recorded(spec) : spec)),
  swapLive,
]
