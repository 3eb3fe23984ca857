import type { Auditor } from '../audit/createAuditor.ts'
import { toSent } from '../audit/describeTarget.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { isDeclaredByHost, type Listing, type Purchase, type Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { EndpointRow, HostSummary } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { UNBUYABLE_CODES, undeliveredPurchases, whyUndeclared } from '../judge/delivery.ts'
import { LIMITS } from '../judge/spec.ts'
import { logFailure } from '../lib/logFailure.ts'
import { repeat } from '../lib/repeat.ts'
import { isLive } from '../publish/verdict.ts'
import { readEndpointFacts, readListings, readPurchases } from '../store/facts.ts'
import { readSummary } from '../store/hosts.ts'
import { listHosts } from '../store/listHosts.ts'
import { createAccountNotices } from './accountNotices.ts'
import type { ShopperAccounts } from './accounts.ts'
import { createDiary, type DiaryDay, describeDay } from './createDiary.ts'
import type { Call, Shopper, ShoppingResult } from './createShopper.ts'
import { createWaits } from './createWaits.ts'
import { dueCredits, type FundingSource, refreshFunding, releaseCredit, spendCredit } from './funding.ts'
import { type MatchedCredit, matchCredits } from './matchCredits.ts'
import { notePurchase, receiverFreeAt, sellerOf, siteFreeAt } from './purchaseCaps.ts'
import { noteReportedDay, readReportedDay } from './reportedDay.ts'
import { type PlannedCall, planPurchase, whyNotBought } from './shopping.ts'
import { publishPurchases, retireAccount, withholdPurchase } from './withheldPurchases.ts'

/** Context of test purchases. `random` draws their order and calls, and when verdicts show them. */
type ShopContext = Pick<Context, 'store' | 'clock' | 'ids' | 'log' | 'random'> & {
  readonly config: Pick<Config, 'network' | 'payTo'>
}

/** The parts that test purchases use. */
export type ShopParts = {
  readonly shopper: Shopper
  readonly accounts: Pick<ShopperAccounts, 'current' | 'next' | 'retire'>
  readonly auditor: Pick<Auditor, 'judge'>
  /** Reads the payments by which sellers fund purchases in advance. */
  readonly source: FundingSource
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
/** Delay after one that was refused for want of a verdict or of our own money, which passes. */
const OURS_MS = HOUR

/** Delay where nothing can be bought, to avoid reading its records in every round. */
const NOTHING_MS = HOUR
/** Hosts of one registrable domain that a round visits. */
const MOST_VISITS = 5
/** Verdicts show a purchase 3 to 21 days later. */
const drawLag = (random: () => number) => (3 + 18 * random()) * DAY

/** A call to buy, with the id of the credit that pays for it, if any. */
type Planned = PlannedCall & { readonly credit?: string }

/** Another process has spent the credit. */
const SPENT: ShoppingResult = { kind: 'refused', reason: 'the credit is spent', isOutOfBudget: false }

/** Creates the test purchases. */
export function createMysteryShop(ctx: ShopContext, parts: ShopParts): MysteryShop {
  const { store, clock, log, random } = ctx
  const { network } = ctx.config
  const { shopper, accounts } = parts
  const { perCallUsd, perDayUsd } = shopper.limits
  const warn = (error: unknown) => logFailure(log, 'test purchases', error)
  const notices = createAccountNotices(ctx, accounts, perCallUsd)
  /** When to plan for a host again, to avoid reading its purchases in every round. */
  const waits = createWaits()
  const diary = createDiary(clock.now())
  let isResumed = false
  /** Credits of the round, by endpoint. */
  let credits: ReadonlyMap<string, MatchedCredit> = new Map()

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
    const { dear, confirms } = planned
    const { endpoint, method, payTo } = planned.endpoint
    const isUsual = confirms === null && dear === undefined
    if (isUsual) {
      const freeAt = await siteFreeAt(ctx, host)
      if (freeAt > clock.now()) return pass(freeAt, 'site_limit')
      const paidFrom = payTo === null ? 0 : await receiverFreeAt(ctx, network, payTo)
      if (paidFrom > clock.now()) return pass(paidFrom, 'receiver_limit')
    }
    // The seller knows the account of the purchase that is repeated.
    if (confirms !== null) await retireAccount(ctx, accounts, confirms.id)
    if (!(await shopper.isFunded(dear?.usd))) {
      await notices.warnUnfunded()
      if (dear !== undefined) return pass(clock.now() + NOTHING_MS, 'unfunded')
      diary.notePassed(host, 'unfunded')
      return 'broke'
    }
    const own = ((await readListings(store, [endpoint])).get(endpoint) ?? []).filter(isDeclaredByHost)
    // The host may have withdrawn the call since the last judgement.
    if (whyUndeclared(own) !== null) return pass(clock.now() + NOTHING_MS, 'not_declared')
    const result = await buy(describeCall(endpoint, own, method), planned, signal)
    if (result.kind === 'refused') {
      const { reason: refusal } = result
      log('info', `test purchase at ${endpoint} refused: ${refusal}`, {
        event: 'purchase_refused',
        endpoint,
        reason: refusal,
      })
      if (result.isOutOfBudget && dear === undefined) {
        diary.notePassed(host, 'budget_spent')
        return 'broke'
      }
      const isOurs = result.isOutOfBudget || result.reason === 'VERDICT_UNAVAILABLE'
      const reason = result.isOutOfBudget ? 'budget_spent' : isOurs ? 'no_verdict' : 'refused'
      return pass(clock.now() + (isOurs ? OURS_MS : REFUSED_MS), reason)
    }
    const { kind: _kind, account, ...outcome } = result
    const at = clock.now()
    const purchase: Purchase = {
      kind: 'purchase',
      id: ctx.ids.newId('buy'),
      at,
      endpoint,
      host,
      ...outcome,
      shownFrom: Math.round(at + drawLag(random)),
      ...(own.some(({ declaresInput }) => declaresInput) && { hasInput: true as const }),
      ...(dear?.isFunded === true && { isFunded: true as const }),
    }
    if (isUsual) await notePurchase(ctx, purchase)
    await withholdPurchase(ctx, purchase, account)
    await store.write('append', [purchase])
    diary.noteBought(purchase)
    const { settled, delivered } = purchase
    log('info', `test purchase at ${endpoint}: settled ${settled}, delivered ${delivered}`, {
      event: 'purchase',
      endpoint,
      settled,
      delivered,
    })
    await judgeFinding(purchase)
    await publishEvidence(endpoint)
    await notices.tellCurrent()
    return 'bought'
  }

  /** Buys a planned call. A credit is spent first, so that a crash never spends it twice, and kept if nothing was sent. */
  const buy = async (call: Call, { endpoint, dear, credit }: Planned, signal: AbortSignal) => {
    if (dear === undefined) return shopper.buy(call, signal)
    if (credit === undefined) return shopper.buy(call, signal, dear)
    if (!(await spendCredit(ctx, credit, endpoint.endpoint))) return SPENT
    let isSent = false
    const onSent = () => {
      isSent = true
    }
    try {
      return await shopper.buy(call, signal, { ...dear, onSent })
    } finally {
      if (!isSent) await releaseCredit(ctx, credit)
    }
  }

  /**
   * Judges an endpoint at once if a purchase makes a finding. Otherwise the next probe does: a verdict that is judged anew
   * right after a payment, without a probe, shows the seller which payment was the test.
   */
  const judgeFinding = async ({ id, endpoint }: Purchase) => {
    const { purchases } = await readEndpointFacts(store, endpoint)
    const failed = undeliveredPurchases(purchases)
    if (failed.length < LIMITS.undeliveredPurchases || !failed.some((one) => one.id === id)) return
    await parts.auditor.judge(endpoint)
  }

  const planUsual = async (host: string, endpoints: readonly EndpointRow[]): Promise<Planned | undefined> => {
    const why = (endpoint: EndpointRow) => whyNotBought(endpoint, clock.now())
    const open = endpoints.filter((endpoint) => why(endpoint) === null)
    const dear = endpoints.filter((endpoint) => why(endpoint) === 'price_above_limit')
    if (open.length + dear.length === 0) return undefined
    return planPurchase(open, await readPurchases(store, host), random, {
      endpoints: dear,
      mostUsd: Number(perDayUsd),
    })
  }

  /** Plans a purchase that its seller has funded and the account can pay. */
  const planFunded = async (endpoints: readonly EndpointRow[]): Promise<Planned | undefined> => {
    for (const endpoint of endpoints) {
      const found = credits.get(endpoint.endpoint)
      if (found === undefined || !isLive(endpoint, clock.now())) continue
      const { id: credit, usd, payTo } = found
      if (await shopper.isFunded(usd))
        return { endpoint, notBefore: 0, confirms: null, dear: { usd, payTo, isFunded: true }, credit }
      await notices.warnUnfunded()
    }
    return undefined
  }

  /** Reads new payments, and finds the endpoints that the due ones fund. */
  const readCredits = async () => {
    await refreshFunding(ctx, parts.source, perCallUsd)
    credits = await matchCredits(store, shuffle(await dueCredits(ctx), random), [network])
  }

  /** Logs the purchases that an incident cites, and retires the accounts that they show. */
  const publishEvidence = async (endpoint: string) => {
    const { incidents } = await readEndpointFacts(store, endpoint)
    await publishPurchases(
      ctx,
      accounts,
      incidents.flatMap(({ observations }) => observations),
    )
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
    return shuffle(bySite, random).flatMap((own) => shuffle(own, random).slice(0, MOST_VISITS))
  }

  const shopOnce = async (signal: AbortSignal) => {
    if (!isResumed) diary.resume(...(await readReportedDay(ctx)))
    isResumed = true
    const day = diary.close(clock.now())
    if (day !== undefined) {
      log('info', describeDay(day), { event: 'shopper_day', ...day })
      await noteReportedDay(ctx, diary.today().date)
    }
    await readCredits().catch(warn)
    let bought = 0
    for (const host of await drawHosts()) {
      if (signal.aborted) return bought
      const summary = await readSummary(store, host)
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
    async run(signal) {
      const round = async () => {
        try {
          await shopOnce(signal)
        } catch (error) {
          if (!signal.aborted) warn(error)
        }
      }
      await notices.tellCurrent()
      await repeat(clock, round, () => PAUSE_MS, signal)
    },
  }
}

/** Returns the reason of the endpoint that is nearest to being bought from. */
function nearestReason(endpoints: readonly EndpointRow[], now: Time): string {
  const found = endpoints.map((endpoint) => whyNotBought(endpoint, now) ?? '')
  return UNBUYABLE_CODES.findLast((reason) => found.includes(reason)) ?? found[0] ?? 'not_live'
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
