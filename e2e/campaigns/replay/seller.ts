// One of the processes that sell: it shares its claims with the other one, and tells its parent of every handler that ran.
import { createPostgresStore } from '@touchstone402/server/parts'
import { openShop } from '../../support/shop.ts'

// It ends with its parent, however that ends.
process.once('disconnect', () => process.exit())
const { databaseUrl, number, ...economy } = JSON.parse(process.argv[2] ?? '')
let runs = 0
const shop = await openShop({
  economy,
  store: await createPostgresStore({ url: databaseUrl }),
  answers: {
    trust: async ({ endpoint }) => {
      process.send?.({ ran: endpoint })
      return {
        // Each run of either handler answers otherwise, so that a second one shows in the body.
        asOf: new Date(Date.UTC(2026 + 100 * number, 0, 1) + ++runs).toISOString(),
        services: [],
        riskMap: { byLevel: {}, byFlag: {}, byVerdict: {}, byDirectory: {} },
      }
    },
  },
})
process.send?.({ origin: shop.origin })
