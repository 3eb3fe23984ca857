import { join } from 'node:path'
import type { VerdictState } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import type { Chain } from '@touchstone402/transfers'
import { createPublicClient, custom } from 'viem'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import type { Context } from '../context.ts'
import { createPublicFetch } from '../probe/createPublicFetch.ts'
import { describeVerdict, toDecision } from '../publish/verdict.ts'
import type { ShopperAccounts } from '../shop/accounts.ts'
import { createShopper } from '../shop/createShopper.ts'
import { createMysteryShop } from '../shop/mysteryShop.ts'
import { readState } from '../store/endpoints.ts'
import type { Audit } from './audit.ts'
import type { Scope } from './scope.ts'

type ShoppingParts = {
  readonly ctx: Context
  readonly audit: Audit
  readonly chain: Chain
  readonly accounts: ShopperAccounts
}

/**
 * Opens the rounds of test purchases.
 * @param ownUrl local URL of the service
 * @throws Error if the ledger cannot be opened
 */
export async function openShopping(
  { reach, warn }: Scope,
  { ctx, audit, chain, accounts }: ShoppingParts,
  settings: ShopperConfig,
  ownUrl: string,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const { config, metrics } = ctx
  const { fetch, close } = createPublicFetch({ ...reach, keepsAlive: true, egress: config.egress.shopper })
  const shopper = createShopper(ctx, {
    accounts,
    fetch,
    service: { url: settings.serviceUrl ?? ownUrl },
    verdictOf: settings.serviceUrl === null ? (endpoint) => readVerdict(ctx, endpoint) : undefined,
    limits: settings,
    ledger: await createFileLedger(join(config.dataDir, 'shopper-ledger.jsonl')),
    fundedLedger: await createFileLedger(join(config.dataDir, 'shopper-funded-ledger.jsonl')),
    chain: createClient(chain),
  })
  const shop = createMysteryShop(ctx, { shopper, accounts, auditor: audit.auditor, source: chain })
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
    await shop.run(signal).catch(warn('test purchases'))
    await shopper.close()
    await close()
  }
}

/** Reads a verdict of this service from its store, by the audit's clock, so that simulated time does not expire it. */
async function readVerdict({ config, clock, store }: Context, endpoint: string): Promise<VerdictState> {
  const { publicUrl } = config
  const { state } = (await readState(store, endpoint)) ?? {}
  if (state === undefined)
    return { state: 'unavailable', detail: 'The endpoint is not judged yet.', lastSeen: null }
  const now = clock.now()
  const verdict = describeVerdict(state, 'exact', endpoint, { publicUrl, liveCheckPriceUsd: 0, now })
  return { state: 'signed', verdict: toDecision(verdict, state.derivedAt, publicUrl, now) }
}

/** Creates a client of the chain that settlements are read with. */
function createClient(chain: Pick<Chain, 'request'>) {
  const request = ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    chain.request({ method, params: params ?? [], purpose: 'settlements' })
  // The chain retries by itself.
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
}
