import { describeTarget } from '../audit/askEndpoint.ts'
import type { Auditor } from '../audit/createAuditor.ts'
import { repeat } from '../crawl/repeat.ts'
import type { Purchase } from '../domain/facts/facts.ts'
import type { HostDocument } from '../domain/facts/hostDocument.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/oldStore.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { Shopper } from './createShopper.ts'
import { planPurchase } from './shopping.ts'

export type MysteryShopDeps = {
  readonly shopper: Shopper
  readonly store: Pick<Store, 'append' | 'hostFacts'>
  readonly readModel: Pick<ReadModel, 'hosts'>
  readonly auditor: Pick<Auditor, 'judge'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
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

/** Creates the mystery shop. */
export function createMysteryShop(deps: MysteryShopDeps): MysteryShop {
  const { shopper, store, readModel, clock, network } = deps
  /** When to plan for a host again, to avoid reading its facts in every round. */
  const notBefore = new Map<string, number>()

  const visit = async (
    { host, endpoints }: HostDocument,
    signal: AbortSignal,
  ): Promise<'bought' | 'passed' | 'broke'> => {
    const facts = await store.hostFacts(host)
    const limits = { network, perCallUsd: shopper.perCallUsd }
    const planned = planPurchase(endpoints, facts.purchases, limits, clock.now())
    if (planned === undefined) return 'passed'
    if (planned.notBefore > clock.now()) {
      notBefore.set(host, planned.notBefore)
      return 'passed'
    }
    const { endpoint, method } = planned.endpoint
    const target = describeTarget(endpoint, facts)
    const call = { url: target.url, method, body: method === 'GET' ? null : target.body }
    const result = await shopper.buy(call, signal)
    if (result.kind === 'refused') {
      deps.onRefusal?.(endpoint, result.reason)
      if (result.isOutOfBudget) return 'broke'
      notBefore.set(host, clock.now() + REFUSED_MS)
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
    await store.append([purchase])
    deps.onPurchase?.(purchase)
    await deps.auditor.judge(endpoint)
    return 'bought'
  }

  const shopOnce = async (signal: AbortSignal) => {
    let bought = 0
    for (const document of [...readModel.hosts()]) {
      if (signal.aborted) break
      if ((notBefore.get(document.host) ?? 0) > clock.now()) continue
      const outcome = await visit(document, signal)
      if (outcome === 'broke') break
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
