import { start } from '@touchstone402/economy'
import { createGuard } from '@touchstone402/guard'
import { createMapClient } from '@touchstone402/guard/map'
import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import { startMapService } from '../../e2e/support/mapService.ts'
import { termOf } from '../../e2e/support/signingService.ts'
import { BOUNDLESS, comparePaid } from '../guard/paidCalls.ts'

/** Compares paid calls in map mode, settled on chain, with the same client without a guard. */
export async function measurePaidByMap(short: boolean): Promise<number> {
  const economy = await start({ clock: 'real', historyBlocks: 90 })
  const service = await startMapService()
  try {
    const seller = economy.sellers['honest-v2']
    if (seller === undefined) throw new Error('the economy has no honest seller')
    const challenge = await economy.fetch(seller.url)
    const { offers } = decodeChallenge({
      header: challenge.headers.get(X402_HEADERS.required),
      body: await challenge.text(),
    })
    const terms = offers.map(({ payTo, amountAtomic }) => termOf(payTo, amountAtomic))
    await service.put(new URL(seller.url).href, { terms })
    await service.publish()
    const map = createMapClient({ url: service.url })
    await map.ready()
    const guard = createGuard({ service: { url: service.url, mode: 'map', map }, policy: BOUNDLESS })
    const { warm } = await comparePaid(economy, guard, seller.url, short ? 20 : 100)
    map.close()
    return warm
  } finally {
    await service.stop()
    await economy.stop()
  }
}
