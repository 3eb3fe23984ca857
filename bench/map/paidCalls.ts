import { start } from '@touchstone402/economy'
import { createGuard, type FetchLike } from '@touchstone402/guard'
import { createMapClient } from '@touchstone402/guard/map'
import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { startMapService } from '../../e2e/support/mapService.ts'
import { median, takeTurns } from '../guard/takeTurns.ts'

/** Compares paid calls in map mode, settled on chain, with the same client without a guard. */
export async function measurePaidByMap(short: boolean): Promise<number> {
  const economy = await start({ clock: 'real', historyBlocks: 90 })
  const service = await startMapService()
  try {
    const seller = economy.sellers['honest-v2']
    const [account] = economy.wallets.bots
    if (seller === undefined || account === undefined)
      throw new Error('the economy has no honest seller or no bot')
    const challenge = await economy.fetch(seller.url)
    const { offers } = decodeChallenge({
      header: challenge.headers.get(X402_HEADERS.required),
      body: await challenge.text(),
    })
    const terms = offers.map(({ scheme, network, asset, payTo, amountAtomic }) => ({
      ...{ x402Version: 2 as const, scheme, network, asset, payTo, method: 'GET' },
      ...{ amountAtomicMin: amountAtomic, amountAtomicMax: amountAtomic },
    }))
    await service.put(new URL(seller.url).href, { terms })
    await service.publish()
    const map = createMapClient({ url: service.url })
    await map.ready()
    const velocity = { perHostPerMinute: 100_000, identicalPerMinute: 100_000 }
    const policy = { maxPerDayUsd: '1000', maxPerHostPerDayUsd: '1000', velocity }
    const guard = createGuard({ service: { url: service.url, mode: 'map', map }, policy })
    const wrap = (inner: FetchLike) =>
      wrapFetchWithPayment(
        inner as typeof fetch,
        registerExactEvmScheme(new x402Client(), { signer: account }),
      )
    const pay = (client: FetchLike) => async () => {
      const response = await client(seller.url)
      await response.text()
      if (response.status !== 200) throw new Error(`not paid: ${response.status}`)
    }
    const [bare, guarded] = [pay(wrap(economy.fetch)), pay(wrap(guard.fetch(economy.fetch)))]
    await takeTurns(5, bare, guarded)
    const times = await takeTurns(short ? 20 : 100, bare, guarded)
    map.close()
    return median(times[1]) / median(times[0])
  } finally {
    await service.stop()
    await economy.stop()
  }
}
