import { allSellers, type SellerSpec } from '@touchstone402/economy'

/** A path of every slow seller that sells, and that no directory lists. */
export const UNLISTED = '/unlisted'

/** A path of every slow seller below which nothing is ever answered. */
export const SILENT = '/silent'

/** Creates honest sellers with further paths: one in no directory, and some that respond slowly. */
export function createSlowSellers(): SellerSpec[] {
  const [model] = allSellers.filter(({ id }) => id === 'honest-v1')
  if (model === undefined) throw new Error('the economy has no honest-v1')
  return [0, 1, 2, 3].map((index) => ({
    ...model,
    id: `slow-${index}`,
    // Address indexes that no other seller uses.
    receiver: { index: 190 + index, past: 'established' as const },
    listing: { bazaar: { version: 2 as const } },
    create: (context) => {
      const inner = model.create(context)
      return {
        ...inner,
        handle: (request, response) => {
          if (request.url?.startsWith(SILENT)) return
          if (request.url === UNLISTED) request.url = model.path
          inner.handle(request, response)
        },
      }
    },
  }))
}
