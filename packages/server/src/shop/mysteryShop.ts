import { describeTarget } from '../audit/askEndpoint.ts'
import type { Auditor } from '../audit/createAuditor.ts'
import type { Purchase } from '../domain/facts/facts.ts'
import type { HostDocument } from '../domain/facts/hostDocument.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { Shopper } from './ports.ts'
import { type PlannedCall, planPurchase } from './shopping.ts'

export type MysteryShopDeps = {
  readonly shopper: Shopper
  readonly store: Pick<Store, 'append' | 'hostFacts'>
  readonly readModel: Pick<ReadModel, 'hosts'>
  readonly auditor: Pick<Auditor, 'judge'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** CAIP-2 of the network that is paid on. */
  readonly network: string
  readonly onPurchase?: (purchase: Purchase) => void
  readonly onRefusal?: (endpoint: string, reason: string) => void
  readonly onError?: (error: unknown) => void
}

/** Buys from services as a stranger would, to see whether anything comes. */
export type MysteryShop = {
  /** Buys what is due, one call after the other, until the budget is spent; tells how many it bought. */
  shopOnce(signal: AbortSignal): Promise<number>
  /** Does so every ten minutes until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

const PAUSE_MS = HOUR / 6
/** A service that could not be bought from is left alone for so long. */
const REFUSED_MS = DAY

/** Makes the mystery shopper's rounds. */
export function createMysteryShop(deps: MysteryShopDeps): MysteryShop {
  const { shopper, store, readModel, clock, network } = deps
  /** When a service is next looked into; reading all that is known of one is not for every round. */
  const notBefore = new Map<string, number>()

  const plan = async ({ host, endpoints }: HostDocument): Promise<PlannedCall | undefined> => {
    const { purchases } = await store.hostFacts(host)
    return planPurchase(endpoints, purchases, { network, perCallUsd: shopper.perCallUsd }, clock.now())
  }

  const visit = async (
    document: HostDocument,
    signal: AbortSignal,
  ): Promise<'bought' | 'passed' | 'broke'> => {
    const { host } = document
    const planned = await plan(document)
    if (planned === undefined) return 'passed'
    if (planned.notBefore > clock.now()) {
      notBefore.set(host, planned.notBefore)
      return 'passed'
    }
    const { endpoint, method } = planned.endpoint
    const target = describeTarget(endpoint, await store.hostFacts(host))
    const call = { url: target.url, method, body: method === 'GET' ? null : target.body }
    const result = await shopper.buy(call, signal)
    if (result.kind === 'refused') {
      deps.onRefusal?.(endpoint, result.reason)
      if (result.isOutOfBudget) return 'broke'
      notBefore.set(host, clock.now() + REFUSED_MS)
      return 'passed'
    }
    const { kind: _kind, ...facts } = result
    const purchase: Purchase = {
      kind: 'purchase',
      id: deps.newId('buy'),
      at: clock.now(),
      endpoint,
      host,
      ...facts,
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

  const round = async (signal: AbortSignal) => {
    const release = clock.hold()
    try {
      await shopOnce(signal)
    } catch (error) {
      if (!signal.aborted) deps.onError?.(error)
    } finally {
      release()
    }
  }

  return {
    shopOnce,
    async run(signal) {
      while (!signal.aborted) {
        await round(signal)
        try {
          await clock.sleep(PAUSE_MS, signal)
        } catch (error) {
          if (!signal.aborted) throw error
        }
      }
    },
  }
}
