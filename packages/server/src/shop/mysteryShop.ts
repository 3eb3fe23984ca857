import { formatUsdc, UNBUYABLE_REASONS } from '@touchstone402/shared'
import type { Auditor } from '../audit/createAuditor.ts'
import { toSent } from '../audit/describeTarget.ts'
import { isDeclaredByHost, type Listing, type Purchase, type Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { EndpointRow, HostSummary } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { whyUndeclared } from '../judge/delivery.ts'
import { repeat } from '../lib/repeat.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { fundedPrice, fundingAmount } from '../publish/fundedPurchase.ts'
import { listHosts } from '../readModel/listHosts.ts'
import { createDiary, type DiaryDay } from './createDiary.ts'
import type { Funding } from './createFunding.ts'
import type { Call, Shopper } from './createShopper.ts'
import { createWaits } from './createWaits.ts'
import { createPurchaseCaps, sellerOf } from './purchaseCaps.ts'
import { type PlannedCall, planPurchase, whyNotBought } from './shopping.ts'
import type { WithheldPurchases } from './withheldPurchases.ts'

export type MysteryShopDeps = {
  readonly shopper: Shopper
  readonly store: Pick<
    Store,
    'append' | 'endpoint' | 'hosts' | 'summary' | 'purchases' | 'listings' | 'endpointFacts' | 'expiring'
  >
  /** Purchases whose log entries wait. */
  readonly withheld: Pick<WithheldPurchases, 'add' | 'publish'>
  readonly auditor: Pick<Auditor, 'judge'>
  /** Purchases that sellers fund in advance; null where no payments to this service can be read. */
  readonly funding: Funding | null
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** 0 to 1. Draws the order and the calls of purchases, and when verdicts show them. */
  readonly random: () => number
  /** CAIP-2 id of the network to pay on. */
  readonly network: string
  readonly onPurchase?: (purchase: Purchase) => void
  /** Called once after each day, also if nothing was bought. */
  readonly onDay?: (day: DiaryDay) => void
  /** Called after each purchase, when the account may have changed. */
  readonly onAccount?: () => void
  /** Called where the account that pays now cannot pay a call. */
  readonly onUnfunded?: () => void
  readonly onRefusal?: (endpoint: string, reason: string) => void
  readonly onError?: (error: unknown) => void
}

/** Makes anonymous test purchases to check delivery. */
export type MysteryShop = {
  /** Returns what was bought today, and why other hosts were not bought from. */
  today(): DiaryDay
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

/** Dear endpoints of a host for which a round looks for funding. */
const MOST_FUNDED = 20
/** Verdicts show a purchase 3 to 21 days later. */
const drawLag = (random: () => number) => (3 + 18 * random()) * DAY

/** A call to buy, with the credit that pays for it, if any. */
type Planned = PlannedCall & {
  readonly funded?: { readonly credit: string; readonly usd: string }
}

/** Creates the mystery shop. */
export function createMysteryShop(deps: MysteryShopDeps): MysteryShop {
  const { shopper, store, clock, network } = deps
  /** When to plan for a host again, to avoid reading its purchases in every round. */
  const waits = createWaits()
  const caps = createPurchaseCaps(store.expiring, clock)

  const diary = createDiary(clock.now())

  const visit = async (
    { host, endpoints }: HostSummary,
    signal: AbortSignal,
  ): Promise<'bought' | 'passed' | 'broke'> => {
    const pass = (until: Time, reason: string) => {
      waits.set(host, until)
      diary.notePassed(host, reason)
      return 'passed' as const
    }
    const planned = (await planFunded(endpoints)) ?? (await planUsual(host, endpoints))
    if (planned === undefined) return pass(clock.now() + NOTHING_MS, nearestReason(endpoints, clock.now()))
    if (planned.notBefore > clock.now()) return pass(planned.notBefore, 'bought_lately')
    const { endpoint, method, payTo } = planned.endpoint
    const isUsual = !planned.isConfirmation && planned.funded === undefined
    if (isUsual) {
      const siteFreeAt = await caps.siteFreeAt(host)
      if (siteFreeAt > clock.now()) return pass(siteFreeAt, 'site_limit')
      const receiverFreeAt = payTo === null ? 0 : await caps.receiverFreeAt(network, payTo)
      if (receiverFreeAt > clock.now()) return pass(receiverFreeAt, 'receiver_limit')
    }
    const release = async () => {
      if (planned.funded !== undefined) await deps.funding?.release(planned.funded.credit)
    }
    if (!(await shopper.isFunded(planned.funded?.usd))) {
      await release()
      deps.onUnfunded?.()
      diary.notePassed(host, 'unfunded')
      return 'broke'
    }
    const own = ((await store.listings([endpoint])).get(endpoint) ?? []).filter(isDeclaredByHost)
    // The host may have withdrawn the call since the last judgement.
    if (whyUndeclared(own) !== null) {
      await release()
      return pass(clock.now() + NOTHING_MS, 'not_declared')
    }
    const call = describeCall(endpoint, own, method)
    const result = await shopper.buy(call, signal, planned.funded?.usd)
    if (result.kind === 'refused') {
      await release()
      deps.onRefusal?.(endpoint, result.reason)
      if (result.isOutOfBudget) {
        diary.notePassed(host, 'budget_spent')
        return 'broke'
      }
      const isOurs = result.reason === 'VERDICT_UNAVAILABLE'
      return pass(clock.now() + (isOurs ? NO_VERDICT_MS : REFUSED_MS), isOurs ? 'no_verdict' : 'refused')
    }
    const { kind: _kind, account, ...outcome } = result
    const at = clock.now()
    const purchase: Purchase = {
      kind: 'purchase',
      id: deps.newId('buy'),
      at,
      endpoint,
      host,
      ...outcome,
      shownFrom: Math.round(at + drawLag(deps.random)),
      ...(own.some(({ declaresInput }) => declaresInput) && { hasInput: true as const }),
    }
    if (isUsual) await caps.note(purchase)
    await deps.withheld.add(purchase, account)
    await store.append([purchase])
    diary.noteBought(purchase)
    deps.onPurchase?.(purchase)
    await deps.auditor.judge(endpoint)
    await publishEvidence(endpoint)
    deps.onAccount?.()
    return 'bought'
  }

  const planUsual = async (host: string, endpoints: readonly EndpointRow[]): Promise<Planned | undefined> => {
    const open = endpoints.filter((endpoint) => whyNotBought(endpoint, clock.now()) === null)
    return open.length === 0 ? undefined : planPurchase(open, await store.purchases(host), deps.random)
  }

  /** Plans a purchase that its seller has funded. Spends the credit first, so that a crash never spends it twice. */
  const planFunded = async (endpoints: readonly EndpointRow[]): Promise<Planned | undefined> => {
    const { funding } = deps
    if (funding === null) return undefined
    const isDear = (endpoint: EndpointRow) => whyNotBought(endpoint, clock.now()) === 'price_above_limit'
    for (const row of endpoints.filter(isDear).slice(0, MOST_FUNDED)) {
      const { state } = (await store.endpoint(row.endpoint)) ?? {}
      const price = state === undefined ? null : fundedPrice(state)
      if (price === null || row.payTo === null) continue
      const credit = await funding.spend(row.endpoint, row.payTo, fundingAmount(row.endpoint, price))
      if (credit !== undefined)
        return {
          endpoint: row,
          notBefore: 0,
          isConfirmation: false,
          funded: { credit, usd: formatUsdc(price) },
        }
    }
    return undefined
  }

  /** Logs the purchases that an incident cites, and retires the accounts that they show. */
  const publishEvidence = async (endpoint: string) => {
    const { incidents } = await store.endpointFacts(endpoint)
    await deps.withheld.publish(incidents.flatMap(({ observations }) => observations))
  }

  /** Draws hosts by lot: first their registrable domains, then the hosts of each, of which a round visits some. */
  const drawHosts = async (): Promise<readonly string[]> => {
    const hosts: string[] = []
    const working = new Set<string>()
    for await (const host of listHosts(store, { order: 'names', isWorking: true }, clock.now())) {
      working.add(host)
      if (!waits.has(host, clock.now())) hosts.push(host)
    }
    diary.keep(working)
    const bySite = [...groupBy(hosts, sellerOf).values()]
    return shuffle(bySite, deps.random).flatMap((own) => shuffle(own, deps.random).slice(0, MOST_VISITS))
  }

  const shopOnce = async (signal: AbortSignal) => {
    const day = diary.close(clock.now())
    if (day !== undefined) deps.onDay?.(day)
    await deps.funding?.refresh().catch((error: unknown) => deps.onError?.(error))
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
    today: diary.today,
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

/** Returns the reason of the endpoint that is nearest to being bought from; reasons are in the order in which they rule out. */
function nearestReason(endpoints: readonly EndpointRow[], now: Time): string {
  const found = endpoints.map((endpoint) => whyNotBought(endpoint, now) ?? '')
  return Object.keys(UNBUYABLE_REASONS).findLast((reason) => found.includes(reason)) ?? found[0] ?? 'not_live'
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
