import { join } from 'node:path'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { createPublicFetch } from '../adapters/probe/createPublicFetch.ts'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import { createShopper } from '../shop/createShopper.ts'
import { createMysteryShop } from '../shop/mysteryShop.ts'
import { readShopperKey } from '../shop/readShopperKey.ts'
import type { Scope } from './scope.ts'
import type { WorkDeps } from './workDeps.ts'

/**
 * Starts the rounds of test purchases.
 * @param ownUrl local URL of the service
 * @returns a function that stops them
 * @throws Error if the key file is missing, malformed or readable by other users, or the ledger cannot be opened
 */
export async function startShopping(
  scope: Scope,
  { storage, audit, chain }: WorkDeps,
  settings: ShopperConfig,
  ownUrl: string,
): Promise<() => Promise<void>> {
  const { config, clock, newId, newSalt, lookup, log } = scope
  const { network, publicUrl, developmentAllowHosts: allowPrivate } = config
  const onError = scope.warn('test purchases')
  const account = await readShopperKey(settings.keyFile)
  const reach = createPublicFetch({ allowPrivate, ...(lookup && { lookup }) })
  const shopper = createShopper({
    account,
    fetch: reach.fetch,
    service:
      settings.serviceUrl === null
        ? { url: reachableUrl(ownUrl, publicUrl), issuer: publicUrl }
        : { url: settings.serviceUrl },
    perCallUsd: settings.perCallUsd,
    perDayUsd: settings.perDayUsd,
    ledger: await createFileLedger(join(config.dataDir, 'shopper-ledger.jsonl')),
    network,
    chain,
  })
  const shop = createMysteryShop({
    shopper,
    store: storage.store,
    auditor: audit.auditor,
    clock,
    newId,
    newSalt,
    network,
    onPurchase: ({ endpoint, settled, delivered }) =>
      log('info', `test purchase at ${endpoint}: settled ${settled}, delivered ${delivered}`),
    onRefusal: (endpoint, reason) => log('info', `test purchase at ${endpoint} refused: ${reason}`),
    onError,
  })
  const ending = new AbortController()
  const rounds = shop.run(ending.signal).catch(onError)
  return async () => {
    ending.abort()
    await rounds
    await shopper.close()
    await reach.close()
  }
}

/** Returns the service's loopback URL, which needs no TLS, or its public one if it does not listen on loopback. */
function reachableUrl(ownUrl: string, publicUrl: string): string {
  const { hostname, port } = new URL(ownUrl)
  if (hostname === '0.0.0.0' || hostname.startsWith('127.')) return `http://127.0.0.1:${port}`
  if (hostname === '[::]' || hostname === '[::1]') return `http://[::1]:${port}`
  return publicUrl
}
