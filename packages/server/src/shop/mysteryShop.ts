import type { Auditor } from '../audit/createAuditor.ts'
import { describeTarget } from '../audit/describeTarget.ts'
import type { Purchase } from '../domain/facts/facts.ts'
import type { HostSummary } from '../domain/facts/hostDocument.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { type NewSalt, purchaseLeaf } from '../domain/publish/leaves.ts'
import { repeat } from '../lib/repeat.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { listHosts } from '../readModel/listHosts.ts'
import type { Shopper } from './createShopper.ts'
import { createWaits } from './createWaits.ts'
import { planPurchase } from './shopping.ts'

export type MysteryShopDeps = {
  readonly shopper: Shopper
  readonly store: Pick<Store, 'append' | 'hosts' | 'summary' | 'purchases' | 'endpointFacts'>
  readonly auditor: Pick<Auditor, 'judge'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Returns the salt of a leaf of the log. @default nothing is logged */
  readonly newSalt?: NewSalt
  /** CAIP-2 id of the network to pay on. */
  readonly network: string
  readonly onPurchase?: (purchase: Purchase) => void
  readonly onRefusal?: (endpoint: string, reason: string) => void
  readonly onError?: (error: unknown) => void
}

/** Makes anonymous test purchases to check delivery. */
export type MysteryShop = {
  /** Makes the due purchases one by one until the budget is spent. Returns their number. */
  shopOnce(signal: AbortSignal): Promise<number>
  /** Repeats this every ten minutes until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

const PAUSE_MS = HOUR / 6
/** Delay after a refused purchase. */
const REFUSED_MS = DAY
/** Delay after one that was refused without a verdict, since that is our own fault and passes. */
const NO_VERDICT_MS = HOUR

/** Creates the mystery shop. */
export function createMysteryShop(deps: MysteryShopDeps): MysteryShop {
  const { shopper, store, clock, network } = deps
  /** When to plan for a host again, to avoid reading its purchases in every round. */
  const waits = createWaits()

  const visit = async (
    { host, endpoints }: HostSummary,
    signal: AbortSignal,
  ): Promise<'bought' | 'passed' | 'broke'> => {
    const purchases = await store.purchases(host)
    const limits = { network, perCallUsd: shopper.perCallUsd }
    const planned = planPurchase(endpoints, purchases, limits, clock.now())
    if (planned === undefined) return 'passed'
    if (planned.notBefore > clock.now()) {
      waits.set(host, planned.notBefore)
      return 'passed'
    }
    const { endpoint, method } = planned.endpoint
    const { listings } = await store.endpointFacts(endpoint)
    const target = describeTarget(endpoint, listings, undefined)
    const call = { url: target.url, method, body: method === 'GET' ? null : target.body }
    const result = await shopper.buy(call, signal)
    if (result.kind === 'refused') {
      deps.onRefusal?.(endpoint, result.reason)
      if (result.isOutOfBudget) return 'broke'
      const pause = result.reason === 'VERDICT_UNAVAILABLE' ? NO_VERDICT_MS : REFUSED_MS
      waits.set(host, clock.now() + pause)
      return 'passed'
    }
    const { kind: _kind, ...outcome } = result
    const purchase: Purchase = {
      kind: 'purchase',
      id: deps.newId('buy'),
      at: clock.now(),
      endpoint,
      host,
      ...outcome,
    }
    await store.append([purchase], deps.newSalt ? [purchaseLeaf(purchase, deps.newSalt)] : [])
    deps.onPurchase?.(purchase)
    await deps.auditor.judge(endpoint)
    return 'bought'
  }

  const shopOnce = async (signal: AbortSignal) => {
    let bought = 0
    for await (const host of listHosts(store, { order: 'best', isWorking: true }, clock.now())) {
      if (signal.aborted) return bought
      const summary = waits.has(host, clock.now()) ? undefined : await store.summary(host)
      if (summary === undefined) continue
      const outcome = await visit(summary, signal)
      if (outcome === 'broke') return bought
      if (outcome === 'bought') bought++
    }
    return bought
  }

  return {
    shopOnce,
    run(signal) {
      const round = async () => {
        try {
          await shopOnce(signal)
        } catch (error) {
          if (!signal.aborted) deps.onError?.(error)
        }
      }
      return repeat(clock, round, () => PAUSE_MS, signal)
    },
  }
}
