import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createGuard } from '../integrations/createGuard.ts'
import { createPublicFetch } from '../node/publicFetch.ts'
import { createCountingAccount } from './clients.ts'
import { HONEST, startSeller, type TestSeller } from './seller.ts'
import { startService, type TestService, termOf } from './service.ts'

/** Sets up a service, one safe seller and a wallet for tests of agent tools. */
export function useToolHarness() {
  let service: TestService
  let seller: TestSeller
  beforeAll(async () => {
    service = await startService()
    seller = await startSeller()
    service.decisions.set(`${seller.url}/weather`, {
      verdict: 'safe',
      receiverStability: 'stable',
      probes: 9,
      terms: [termOf(HONEST, '10000')],
    })
  })
  afterAll(async () => {
    await service.stop()
    await seller.stop()
  })
  beforeEach(() => {
    seller.character = {}
    seller.payments.length = 0
  })
  return {
    get seller() {
      return seller
    },
    get url() {
      return `${seller.url}/weather`
    },
    setUp() {
      const { account, counter } = createCountingAccount()
      const guard = createGuard({ service: { url: service.url } })
      return { account, counter, guard, fetch: createPublicFetch({ allowPrivateHosts: true }) }
    },
  }
}
