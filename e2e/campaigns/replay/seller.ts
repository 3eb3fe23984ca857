// One of two selling processes that share claims. Reports every handler run to its parent.
import { openStore } from '@touchstone402/server/testing'
import { openShop } from '../../support/shop.ts'

// Exits when its parent does.
process.once('disconnect', () => process.exit())
const { databaseUrl, number, ...economy } = JSON.parse(process.argv[2] ?? '')
let runs = 0
const shop = await openShop({
  economy,
  store: await openStore({ databaseUrl, dataDir: '' }),
  answers: {
    trust: async ({ endpoint }) => {
      console.log(JSON.stringify({ ran: endpoint }))
      return {
        // Each handler run has a distinct response, so that a second run shows in the body.
        asOf: new Date(Date.UTC(2026 + 100 * number, 0, 1) + ++runs).toISOString(),
        services: [],
        riskMap: { byLevel: {}, byFlag: {}, byVerdict: {}, byDirectory: {} },
      }
    },
  },
})
process.send?.({ origin: shop.origin })
