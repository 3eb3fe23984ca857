import { type Service, startService } from '@touchstone402/demo'
import { start } from '@touchstone402/economy'
import { onTestFinished } from 'vitest'
import { type RpcProxy, startRpcProxy } from './rpcProxy.ts'
import { otherName } from './settings.ts'
import { type TokenMarket, useTokenMarket } from './tokenMarket.ts'

/** A market whose chain no other file reads. */
export type OwnTokenMarket = TokenMarket & {
  /** Opens a service without sellers, which reads the chain for 2 s at most, over a proxy. Both stop with the test. */
  openRelayed(settings?: Readonly<Record<string, string>>): Promise<{ relay: RpcProxy; opened: Service }>
}

/** Starts the market and runs `prepare` before the tests of a file, and stops it afterwards. */
export function useOwnTokenMarket(prepare: (market: TokenMarket) => Promise<void>): OwnTokenMarket {
  const market = useTokenMarket(prepare, async () => {
    // A history without sellers, so that changes to them do not affect it.
    const economy = await start({ clock: 'real', sellers: [], historyBlocks: 900 })
    const service = await startService(economy)
    return {
      economy,
      service,
      async stop() {
        await service.stop()
        await economy.stop()
      },
    }
  })
  return Object.assign(market, {
    async openRelayed(settings: Readonly<Record<string, string>> = {}) {
      const relay = await startRpcProxy(market.economy.chain.rpcUrl)
      onTestFinished(() => relay.close())
      const opened = await startService(market.economy, {
        readMs: 2000,
        settings: {
          RPC_URLS: `${relay.url},${otherName(relay.url)}`,
          DIRECTORIES: 'file=/dev/null',
          // The reads of the test alone are counted and held up.
          TOKEN_PAGES: 'none',
          ...settings,
        },
      })
      onTestFinished(() => opened.stop())
      return { relay, opened }
    },
  })
}
