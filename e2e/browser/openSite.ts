import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, start } from '@touchstone402/economy'
import type { Browser } from 'playwright-core'
import { createClaimableSellers } from './claimableSellers.ts'
import { createHostileSellers } from './hostileSellers.ts'
import { openBrowser } from './openBrowser.ts'
import { createSlowSellers } from './slowSellers.ts'

/** A service that audited the whole economy, and a browser. */
export type Site = {
  readonly browser: Browser
  readonly economy: Economy
  readonly service: Service
  readonly origin: string
  stop(): Promise<void>
}

/** Starts the economy with hostile and slow sellers, a service and a browser, and waits for three days of audit. */
export async function openSite(onProgress: (line: string) => void): Promise<Site> {
  const parts: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop()
  }
  try {
    // First, to fail fast on a machine without a browser.
    const browser = await openBrowser()
    parts.push({ stop: () => browser.close() })
    const economy = await start({
      sellers: [
        ...allSellers,
        ...createHostileSellers(),
        ...createSlowSellers(),
        ...createClaimableSellers(),
      ],
    })
    parts.push(economy)
    const service = await startService(economy, { settings: { TRUST_PROXY: '1' } })
    parts.push(service)
    onProgress('three days of audit go by')
    await economy.clock.caughtUp
    return { browser, economy, service, origin: service.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
