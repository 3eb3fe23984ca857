import { isTemplate } from '@touchstone402/shared'
import type { Auditor } from '../audit/createAuditor.ts'
import { toSent } from '../audit/describeTarget.ts'
import { isDeclaredByHost, type Listing, type Purchase, type Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { EndpointRow, HostSummary } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { repeat } from '../lib/repeat.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { listHosts } from '../readModel/listHosts.ts'
import type { ShopperAccounts } from './accounts.ts'
import type { Call, Shopper } from './createShopper.ts'
import { createWaits } from './createWaits.ts'
import { createPurchaseCaps, sellerOf } from './purchaseCaps.ts'
import { listBuyable, planPurchase } from './shopping.ts'
import type { WithheldPurchases } from './withheldPurchases.ts'

export type MysteryShopDeps = {
  readonly shopper: Shopper
  readonly store: Pick<
    Store,
    'append' | 'hosts' | 'summary' | 'purchases' | 'listings' | 'endpointFacts' | 'expiring'
  >
  readonly accounts: Pick<ShopperAccounts, 'retire'>
  /** Purchases whose log entries wait. */
  readonly withheld: Pick<WithheldPurchases, 'add' | 'publish'>
  readonly auditor: Pick<Auditor, 'judge'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** 0 to 1. Draws the order of purchases, so that no name or score comes first. */
  readonly random: () => number
  /** CAIP-2 id of the network to pay on. */
  readonly network: string
  readonly onPurchase?: (purchase: Purchase) => void
  /** Called after each purchase, when the account may have changed. */
  readonly onAccount?: () => void
  /** Called where the account that pays now cannot pay a call. */
  readonly onUnfunded?: () => void
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

/** Delay where nothing can be bought, to avoid reading its records in every round. */
const NOTHING_MS = HOUR
/** Hosts of one registrable domain that a round visits. */
const MOST_VISITS = 5

/** Creates the mystery shop. */
export function createMysteryShop(deps: MysteryShopDeps): MysteryShop {
  const { shopper, store, clock, network } = deps
  /** When to plan for a host again, to avoid reading its purchases in every round. */
  const waits = createWaits()
  const caps = createPurchaseCaps(store.expiring, clock)

  /** Returns the endpoints that the host itself declares, with the declarations; listings may come from anyone. */
  const listDeclared = async (endpoints: readonly EndpointRow[]) => {
    const listings = await store.listings(endpoints.map(({ endpoint }) => endpoint))
    return endpoints.flatMap((row) => {
      const own = (listings.get(row.endpoint) ?? []).filter(isDeclaredByHost)
      // Its open parameters are not known.
      const isOpen = own.some(({ url }) => isTemplate(url))
      return own.length === 0 || isOpen ? [] : [{ row, own }]
    })
  }

  const visit = async (
    { host, endpoints }: HostSummary,
    signal: AbortSignal,
  ): Promise<'bought' | 'passed' | 'broke'> => {
    const limits = { network, perCallUsd: shopper.perCallUsd }
    const pass = (until: Time) => {
      waits.set(host, until)
      return 'passed' as const
    }
    const declared = await listDeclared(listBuyable(endpoints, limits, clock.now()))
    const rows = declared.map(({ row }) => row)
    const planned = planPurchase(rows, await store.purchases(host), limits, clock.now())
    if (planned === undefined) return pass(clock.now() + NOTHING_MS)
    if (planned.notBefore > clock.now()) return pass(planned.notBefore)
    const { endpoint, method, payTo } = planned.endpoint
    if (!planned.isConfirmation) {
      const freeAt = Math.max(
        await caps.siteFreeAt(host),
        payTo === null ? 0 : await caps.receiverFreeAt(network, payTo),
      )
      if (freeAt > clock.now()) return pass(freeAt)
    }
    if (!(await shopper.isFunded())) {
      deps.onUnfunded?.()
      return 'broke'
    }
    const { own = [] } = declared.find(({ row }) => row === planned.endpoint) ?? {}
    const call = describeCall(endpoint, own, method)
    const result = await shopper.buy(call, signal)
    if (result.kind === 'refused') {
      deps.onRefusal?.(endpoint, result.reason)
      if (result.isOutOfBudget) return 'broke'
      return pass(clock.now() + (result.reason === 'VERDICT_UNAVAILABLE' ? NO_VERDICT_MS : REFUSED_MS))
    }
    const { kind: _kind, account, ...outcome } = result
    const purchase: Purchase = {
      kind: 'purchase',
      id: deps.newId('buy'),
      at: clock.now(),
      endpoint,
      host,
      ...outcome,
      ...(own.some(({ declaresInput }) => declaresInput) && { hasInput: true as const }),
    }
    if (!planned.isConfirmation) await caps.note(purchase)
    await deps.withheld.add(purchase, account)
    await store.append([purchase])
    deps.onPurchase?.(purchase)
    await deps.auditor.judge(endpoint)
    await publishEvidence(endpoint)
    deps.onAccount?.()
    return 'bought'
  }

  /** Logs the purchases that an incident cites, and retires the accounts that they show. */
  const publishEvidence = async (endpoint: string) => {
    const { incidents } = await store.endpointFacts(endpoint)
    await deps.withheld.publish(
      incidents.flatMap(({ observations }) => observations),
      deps.accounts.retire,
    )
  }

  /** Draws hosts by lot: first their registrable domains, then the hosts of each, of which a round visits some. */
  const drawHosts = async (): Promise<readonly string[]> => {
    const hosts: string[] = []
    for await (const host of listHosts(store, { order: 'names', isWorking: true }, clock.now()))
      if (!waits.has(host, clock.now())) hosts.push(host)
    const bySite = [...groupBy(hosts, sellerOf).values()]
    return shuffle(bySite, deps.random).flatMap((own) => shuffle(own, deps.random).slice(0, MOST_VISITS))
  }

  const shopOnce = async (signal: AbortSignal) => {
    let bought = 0
    for (const host of await drawHosts()) {
      if (signal.aborted) return bought
      const summary = await store.summary(host)
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

/** Describes the call that a host declares. Its method is the declared one, or else the one that was answered. */
function describeCall(endpoint: string, own: readonly Listing[], answered: string): Call {
  const listing = own.findLast(({ method }) => method !== null) ?? own.at(-1)
  const { url = endpoint, method, body = null } = listing ?? {}
  return toSent(method ?? answered, { url, body })
}

/** Returns a copy in random order. Source: Fisher and Yates. */
function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const drawn = [...list]
  for (let last = drawn.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [drawn[last] as T, drawn[other] as T]
    drawn[last] = b
    drawn[other] = a
  }
  return drawn
}
