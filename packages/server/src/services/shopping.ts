import { join } from 'node:path'
import { createFileLedger } from '@touchstone402/guard/ledger'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import { HOUR } from '../facts/times.ts'
import type { Store } from '../ports/store.ts'
import { createPublicFetch } from '../probe/createPublicFetch.ts'
import { PAYMENTS_PER_ACCOUNT, type ShopperAccounts } from '../shop/accounts.ts'
import { createShopper } from '../shop/createShopper.ts'
import { createMysteryShop } from '../shop/mysteryShop.ts'
import type { WithheldPurchases } from '../shop/withheldPurchases.ts'
import type { Audit } from './audit.ts'
import type { Scope } from './scope.ts'

/** The accounts of test purchases, and the purchases whose log entries wait. */
export type ShopperParts = {
  readonly accounts: ShopperAccounts
  readonly withheld: WithheldPurchases
}

/**
 * Opens the rounds of test purchases.
 * @param ownUrl local URL of the service
 * @throws Error if the ledger cannot be opened
 */
export async function openShopping(
  scope: Scope,
  { store, audit }: { readonly store: Store; readonly audit: Audit },
  settings: ShopperConfig,
  { accounts, withheld }: ShopperParts,
  ownUrl: string,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const { config, clock, newId, reach, log } = scope
  const { network, publicUrl } = config
  const { fetch, close } = createPublicFetch({ ...reach, keepsAlive: true, egress: config.egress.shopper })
  const shopper = createShopper({
    accounts,
    fetch,
    service:
      settings.serviceUrl === null
        ? { url: reachableUrl(ownUrl, publicUrl), issuer: publicUrl }
        : { url: settings.serviceUrl },
    perCallUsd: settings.perCallUsd,
    perDayUsd: settings.perDayUsd,
    ledger: await createFileLedger(join(config.dataDir, 'shopper-ledger.jsonl')),
    network,
    chain: audit.chain,
    clock,
  })
  const onError = scope.warn('test purchases')
  let told = -1
  /** Logs which account to fund, whenever it changes. */
  const describeAccount = async () => {
    const { account, index, payments } = await accounts.current()
    if (index === told) return
    told = index
    const left = PAYMENTS_PER_ACCOUNT - payments
    const needed = (left * Number(settings.perCallUsd)).toFixed(2)
    const { address: next } = await accounts.next()
    log(
      'info',
      `test purchases are paid by account ${index}, ${account.address}: ${left} payments left, for which it needs up to ${needed} USDC on ${network}; the next one is ${next}`,
      { event: 'shopper_account', index, address: account.address, left, needed, next },
    )
  }
  let warnedAt = Number.NEGATIVE_INFINITY
  const onUnfunded = async () => {
    if (clock.now() - warnedAt < HOUR) return
    warnedAt = clock.now()
    const { account, index } = await accounts.current()
    log(
      'warn',
      `test purchases wait: account ${index}, ${account.address}, holds less than ${settings.perCallUsd} USDC on ${network}`,
      { event: 'shopper_unfunded', index, address: account.address },
    )
  }
  const shop = createMysteryShop({
    shopper,
    store,
    auditor: audit.auditor,
    clock,
    newId,
    accounts,
    withheld,
    random: Math.random,
    network,
    onPurchase: ({ endpoint, settled, delivered }) =>
      log('info', `test purchase at ${endpoint}: settled ${settled}, delivered ${delivered}`, {
        event: 'purchase',
        endpoint,
        settled,
        delivered,
      }),
    onAccount: () => void describeAccount().catch(onError),
    onUnfunded: () => void onUnfunded().catch(onError),
    onRefusal: (endpoint, reason) =>
      log('info', `test purchase at ${endpoint} refused: ${reason}`, {
        event: 'purchase_refused',
        endpoint,
        reason,
      }),
    onError,
  })
  return async (signal) => {
    await describeAccount().catch(onError)
    await shop.run(signal).catch(onError)
    await shopper.close()
    await close()
  }
}

/** Returns the service's loopback URL, which needs no TLS, or its public one if it does not listen on loopback. */
function reachableUrl(ownUrl: string, publicUrl: string): string {
  const { hostname, port } = new URL(ownUrl)
  if (hostname === '0.0.0.0' || hostname.startsWith('127.')) return `http://127.0.0.1:${port}`
  if (hostname === '[::]' || hostname === '[::1]') return `http://[::1]:${port}`
  return publicUrl
}
