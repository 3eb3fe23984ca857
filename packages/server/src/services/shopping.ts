import { join } from 'node:path'
import type { VerdictState } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { usdToAtomic } from '@touchstone402/shared'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import { HOUR } from '../facts/times.ts'
import { drawRandom } from '../lib/drawRandom.ts'
import { createPublicFetch } from '../probe/createPublicFetch.ts'
import { describeVerdict, toDecision } from '../publish/verdict.ts'
import { PAYMENTS_PER_ACCOUNT, type ShopperAccounts } from '../shop/accounts.ts'
import { describeDay } from '../shop/createDiary.ts'
import { createFunding } from '../shop/createFunding.ts'
import { createShopper } from '../shop/createShopper.ts'
import { createMysteryShop } from '../shop/mysteryShop.ts'
import type { WithheldPurchases } from '../shop/withheldPurchases.ts'
import { readState } from '../store/endpoints.ts'
import { countPaid } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'
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
  const { config, clock, newId, reach, log, metrics } = scope
  const { network } = config
  const { fetch, close } = createPublicFetch({ ...reach, keepsAlive: true, egress: config.egress.shopper })
  const shopper = createShopper({
    accounts,
    fetch,
    service: { url: settings.serviceUrl ?? ownUrl },
    verdictOf: settings.serviceUrl === null ? (endpoint) => readVerdict(scope, store, endpoint) : undefined,
    perCallUsd: settings.perCallUsd,
    perDayUsd: settings.perDayUsd,
    ledger: await createFileLedger(join(config.dataDir, 'shopper-ledger.jsonl')),
    fundedLedger: await createFileLedger(join(config.dataDir, 'shopper-funded-ledger.jsonl')),
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
    withheld,
    funding: createFunding({
      source: audit.source,
      documents: store,
      clock,
      network,
      payTo: config.payTo,
      aboveAtomic: usdToAtomic(settings.perCallUsd),
      isReceiver: async (address) => (await countPaid(store, network, address)) > 0,
      random: drawRandom,
    }),
    random: drawRandom,
    network,
    onDay: (day) => log('info', describeDay(day), { event: 'shopper_day', ...day }),
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
  metrics.gaugeBy('test_purchases_today', 'Test purchases of the day, by outcome.', 'outcome', () => {
    const { delivered, undelivered, unsettled } = shop.today()
    return { delivered, undelivered, unsettled }
  })
  metrics.gaugeBy(
    'hosts_not_bought_from',
    'Hosts with a working endpoint that no test purchase is made at now, by the code of the reason.',
    'reason',
    () => shop.today().reasons,
  )
  return async (signal) => {
    await describeAccount().catch(onError)
    await shop.run(signal).catch(onError)
    await shopper.close()
    await close()
  }
}

/** Reads a verdict of this service from its store, by the audit's clock, so that simulated time does not expire it. */
async function readVerdict(
  { config: { publicUrl }, clock }: Scope,
  store: Store,
  endpoint: string,
): Promise<VerdictState> {
  const { state } = (await readState(store, endpoint)) ?? {}
  if (state === undefined)
    return { state: 'unavailable', detail: 'The endpoint is not judged yet.', lastSeen: null }
  const now = clock.now()
  const verdict = describeVerdict(state, 'exact', endpoint, { publicUrl, liveCheckPriceUsd: 0, now })
  return { state: 'signed', verdict: toDecision(verdict, state.derivedAt, publicUrl, now) }
}
