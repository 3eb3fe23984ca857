import { allSellers, type SellerSpec } from '@touchstone402/economy'

const CLAIM_FILE = '/.well-known/touchstone.txt'

/** Lines that sellers publish to claim their hosts, by their ids. */
export const publishedClaims = new Map<string, string>()

/** Creates sellers that are marked down for asking on a test network, and whose hosts can be claimed by a file. */
export function createClaimableSellers(): SellerSpec[] {
  const [model] = allSellers.filter(({ id }) => id === 'testnet')
  if (model === undefined) throw new Error('the economy has no testnet')
  return [0, 1].map((index) => ({
    ...model,
    id: `claimable-${index}`,
    // Address indexes that no other seller uses.
    receiver: { ...model.receiver, index: 196 + index },
    create: (context) => {
      const inner = model.create(context)
      return {
        ...inner,
        handle: (request, response) => {
          const claim = publishedClaims.get(`claimable-${index}`)
          if (request.url !== CLAIM_FILE || claim === undefined) return inner.handle(request, response)
          response.setHeader('Content-Type', 'text/plain')
          response.end(claim)
        },
      }
    },
  }))
}
