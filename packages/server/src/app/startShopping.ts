import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { createPublicFetch } from '../adapters/probe/createPublicFetch.ts'
import type { Config } from '../config/config.ts'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import { createShopper, type ShopperOptions } from '../shop/createShopper.ts'
import { createMysteryShop, type MysteryShopDeps } from '../shop/mysteryShop.ts'
import { readShopperKey } from '../shop/readShopperKey.ts'

export type ShoppingDeps = Omit<MysteryShopDeps, 'shopper' | 'network'> & {
  readonly config: Config
  readonly shopper: ShopperConfig
  /** Where the service listens. */
  readonly ownUrl: string
  readonly chain: ShopperOptions['chain']
  readonly lookup?: LookupFunction
}

/**
 * Puts the mystery shopper together and begins its rounds; resolves to the function that ends them.
 * @throws when the key file is missing, malformed or open to others, or the ledger cannot be opened
 */
export async function startShopping(deps: ShoppingDeps): Promise<() => Promise<void>> {
  const { config, shopper: settings, ownUrl, chain, lookup, ...rest } = deps
  const account = await readShopperKey(settings.keyFile)
  const reach = createPublicFetch({
    allowPrivate: config.developmentAllowHosts,
    ...(lookup && { lookup }),
  })
  const shopper = createShopper({
    account,
    fetch: reach.fetch,
    service:
      settings.serviceUrl === null
        ? { url: reachableUrl(ownUrl, config.publicUrl), issuer: config.publicUrl }
        : { url: settings.serviceUrl },
    perCallUsd: settings.perCallUsd,
    perDayUsd: settings.perDayUsd,
    ledger: await createFileLedger(join(config.dataDir, 'shopper-ledger.jsonl')),
    network: config.network,
    chain,
  })
  const shop = createMysteryShop({ ...rest, shopper, network: config.network })
  const ending = new AbortController()
  const rounds = shop.run(ending.signal).catch((error: unknown) => rest.onError?.(error))
  return async () => {
    ending.abort()
    await rounds
    await shopper.close()
    await reach.close()
  }
}

/** The service's address from this machine, which needs no TLS; its public one where it does not listen to this machine. */
function reachableUrl(ownUrl: string, publicUrl: string): string {
  const { hostname, port } = new URL(ownUrl)
  if (hostname === '0.0.0.0' || hostname.startsWith('127.')) return `http://127.0.0.1:${port}`
  if (hostname === '[::]' || hostname === '[::1]') return `http://[::1]:${port}`
  return publicUrl
}
