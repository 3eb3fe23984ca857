import { type Term, type UnbuyableReason, usdToAtomic } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { createJumpClock } from '../crawl/testing/jumpClock.ts'
import type { Listing, PublishedIncident } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import type { Log } from '../lib/logging.ts'
import { fundingAmount } from '../publish/fundedPurchase.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { readDocument } from '../store/documents.ts'
import { readPurchases } from '../store/facts.ts'
import { readHost } from '../store/hosts.ts'
import { countWaiting, readLeaves } from '../store/log.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aListing, anIncident, documentOf, NOON } from '../store/testing/records.ts'
import { createShopperAccounts, PAYMENTS_PER_ACCOUNT } from './accounts.ts'
import { type DiaryDay, describeDay } from './createDiary.ts'
import type { Call, DearTerms, ShoppingResult } from './createShopper.ts'
import type { FundingSource } from './funding.ts'
import { createMysteryShop } from './mysteryShop.ts'
import { MOST_PER_RECEIVER, MOST_PER_SITE, receiverFreeAt } from './purchaseCaps.ts'
import { publishDuePurchases } from './withheldPurchases.ts'

const BOUGHT: Extract<ShoppingResult, { kind: 'bought' }> = {
  kind: 'bought',
  askedAt: NOON,
  answeredAt: NOON + 200,
  network: 'eip155:8453',
  payTo: '0x1111111111111111111111111111111111111111',
  amountAtomic: '1000',
  settled: true,
  delivered: true,
  txHash: `0x${'cd'.repeat(32)}`,
  httpStatus: 200,
  excerpt: '{"ok":true}',
  account: 0,
}
const refused = (isOutOfBudget: boolean, reason = 'no'): ShoppingResult => ({
  kind: 'refused',
  reason,
  isOutOfBudget,
})

/** An exact offer of five dollars. */
const TERM: Term = {
  x402Version: 2,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: BOUGHT.payTo,
  amountAtomicMin: '5000000',
  amountAtomicMax: '5000000',
  method: 'GET',
}

const KEY = `0x${'11'.repeat(32)}` as const

/** A chain on which nobody pays the service. */
const NO_PAYMENTS: FundingSource = {
  heads: async () => ({ latest: { number: 0 } }) as never,
  payments: () => Promise.reject(new Error('there are no blocks to read')),
}

/** Latest repetition of a failed purchase; verdicts of the sample expire then. */
const LATEST_CONFIRM = 48 * HOUR - 1

type Options = {
  /** Receiver of a host's endpoint. @default one of its own */
  payTo?: (host: string) => string
  /** Number of purchases until the money is spent. @default no limit */
  budget?: number
  listings?: (host: string) => Partial<Listing>[]
  /** 0 to 1. @default 0.5 */
  random?: () => number
  /** Why nothing can be bought. @default null */
  reason?: UnbuyableReason | null
  /** Payer of a credit for the call of a.example. @default there is none */
  credit?: string
  /** Whether the account can pay a price. @default it can */
  isFunded?: (priceUsd: string | undefined) => boolean
}

async function setUp(
  answer: (url: string) => ShoppingResult,
  hosts: readonly string[] = ['a.example', 'b.example', 'c.example'],
  {
    payTo,
    budget = Number.POSITIVE_INFINITY,
    listings,
    random = () => 0.5,
    reason = null,
    credit,
    isFunded = () => true,
  }: Options = {},
) {
  const store = createMemoryStore()
  const documents = hosts.map((host) => {
    const { endpoints, ...rest } = documentOf(host, NOON)
    const paid = payTo?.(host) ?? `0x${hosts.indexOf(host).toString(16).padStart(40, '1')}`
    const shopping = { network: TERM.network, perCallUsd: 0.05 }
    const delivery = { status: 'never_bought', month: null, paidUsd: null, reason } as const
    return {
      ...rest,
      endpoints: endpoints.map((state) => ({ ...state, payTo: paid, delivery, shopping, terms: [TERM] })),
    }
  })
  await putHosts(store, ...documents)
  for (const { host, endpoints } of documents) {
    const own = endpoints.flatMap(({ endpoint }) =>
      (listings?.(host) ?? [{}]).map((changes, index) =>
        aListing({ id: `l${index}`, endpoint, host, url: endpoint, ...changes }),
      ),
    )
    await store.write('append', own)
  }
  const calls: string[] = []
  const paid: (DearTerms | undefined)[] = []
  const sent: Call[] = []
  const judged: string[] = []
  const clock = createJumpClock(NOON)
  const accounts = createShopperAccounts({ store, clock }, KEY)
  let salts = 0
  const newSalt = () => Buffer.alloc(16, ++salts).toString('base64')
  const logged: Parameters<Log>[] = []
  const linesOf = (event: string) => logged.filter(([, , fields]) => fields.event === event)
  const ctx = {
    store,
    clock,
    ids: { newId: (prefix: string) => `${prefix}_${calls.length}`, newSalt },
    log: (...line: Parameters<Log>) => void logged.push(line),
    random,
    config: { network: TERM.network, payTo: `0x${'5e'.repeat(20)}` },
  }
  if (credit !== undefined) {
    const amountAtomic = `${fundingAmount('https://a.example/a', usdToAtomic('5'))}`
    const data = { from: credit, amountAtomic, notBefore: 0, spentOn: null }
    const document = { kind: 'funded-purchase', id: 'credit', expiresAt: NOON + 90 * DAY, data }
    await store.write('putDocument', document, NOON)
  }
  /** Returns the endpoint that the credit was spent on; null before. */
  const spentOn = async () => {
    const kept = await readDocument(store, 'funded-purchase', 'credit', clock.now())
    return (kept?.data as { spentOn: string | null } | undefined)?.spentOn
  }
  const judge = { fails: false, after: async (_endpoint: string) => {} }
  const open = () =>
    createMysteryShop(ctx, {
      shopper: {
        limits: { perCallUsd: '0.05', perDayUsd: '10' },
        isFunded: async (priceUsd) => isFunded(priceUsd),
        async buy(call, _signal, dear) {
          paid.push(dear)
          if (calls.length >= budget) return refused(true)
          sent.push(call)
          calls.push(new URL(call.url).host)
          const result = answer(call.url)
          if (result.kind === 'refused') return result
          dear?.onSent?.()
          const { index: account } = await accounts.current()
          await accounts.notePayment()
          const host = new URL(call.url).host
          const { endpoints } = documents.find((one) => one.host === host) ?? { endpoints: [] }
          return { ...result, account, payTo: endpoints[0]?.payTo ?? result.payTo }
        },
        close: async () => {},
      },
      accounts,
      source: NO_PAYMENTS,
      auditor: {
        async judge(endpoint) {
          judged.push(endpoint)
          await judge.after(endpoint)
          if (judge.fails) throw new Error('not asked for its answer')
          return documents[0]?.endpoints[0] as EndpointState
        },
      },
    })
  const shop = open()
  const round = () => shop.shopOnce(new AbortController().signal)
  return {
    ctx,
    open,
    linesOf,
    spentOn,
    days: () => linesOf('shopper_day').map(([, , fields]) => fields as unknown as DiaryDay),
    store,
    clock,
    calls,
    sent,
    judged,
    judge,
    round,
    shop,
    accounts,
    publishDue: () => publishDuePurchases(ctx, accounts),
    paid,
  }
}

test('default: records a purchase before judging the finding that it makes', async () => {
  const failed = { ...BOUGHT, delivered: false }
  const { store, round, judged, judge, clock } = await setUp(() => failed, ['a.example'])
  judge.fails = true
  await round()
  const { kind: _kind, account: _account, payTo: _payTo, ...facts } = failed
  const at = clock.now()
  expect(await readPurchases(store, 'a.example')).toMatchObject([
    { kind: 'purchase', id: 'buy_1', at, endpoint: 'https://a.example/a', host: 'a.example', ...facts },
  ])
  await clock.sleep(LATEST_CONFIRM)
  await expect(round()).rejects.toThrow('not asked')
  expect(await readPurchases(store, 'a.example')).toHaveLength(2)
  expect(judged).toEqual(['https://a.example/a'])
})

test('rule 13, abuse: no verdict is judged right after a purchase that makes no finding, so its seq tells no test', async () => {
  for (const result of [BOUGHT, { ...BOUGHT, delivered: false }, { ...BOUGHT, settled: false }]) {
    const { round, judged } = await setUp(() => result, ['a.example'])
    expect([await round(), judged]).toEqual([1, []])
  }
})

test('behavior: a spent budget ends the round, and the next round tries again', async () => {
  const { round, calls } = await setUp(() => refused(true))
  expect(await round()).toBe(0)
  expect(await round()).toBe(0)
  expect(calls).toHaveLength(2)
})

test('behavior: skips a service for a day after a refusal', async () => {
  const { round, calls, clock } = await setUp(() => refused(false))
  await round()
  await round()
  expect(calls.toSorted()).toEqual(['a.example', 'b.example', 'c.example'])
  await clock.sleep(DAY)
  await round()
  expect(calls).toHaveLength(6)
})

test('behavior: a service that was refused for want of a verdict is tried again after an hour', async () => {
  const { round, calls, clock } = await setUp(() => refused(false, 'VERDICT_UNAVAILABLE'))
  await round()
  await clock.sleep(HOUR)
  await round()
  expect(calls).toHaveLength(6)
})

test('behavior: a round visits every service once, however many there are', async () => {
  const hosts = Array.from({ length: 250 }, (_, number) => `h${number}.example`)
  const { round, calls } = await setUp(() => refused(false), hosts)
  await round()
  expect(calls.toSorted()).toEqual(hosts.toSorted())
})

test('behavior: repeats rounds until the signal fires', async () => {
  const { shop, clock } = await setUp(() => refused(true))
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = (ms, signal) => {
    if (clock.slept.length === 2) ending.abort()
    return sleep(ms, signal)
  }
  await shop.run(ending.signal)
  expect(clock.slept).toEqual([HOUR / 6, HOUR / 6])
})

/** A generator of numbers from 0 to 1 that repeats itself. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('behavior: 145 subdomains of one seller take no more purchases than one host, and honest sellers get theirs', async () => {
  const greedy = Array.from({ length: 145 }, (_, index) => `s${index}.greedy.example`)
  const honest = Array.from({ length: 20 }, (_, index) => `honest${index}.example`)
  const { round, calls } = await setUp(() => BOUGHT, [...greedy, ...honest], {
    budget: 40,
    random: seeded(1),
  })
  for (let rounds = 0; rounds < 10; rounds++) await round()
  const taken = calls.filter((host) => greedy.includes(host))
  expect(taken).toHaveLength(MOST_PER_SITE)
  expect(calls.filter((host) => honest.includes(host)).toSorted()).toEqual(honest.toSorted())
})

test('behavior: hosts of many domains with one receiver share its purchases, which a restart does not renew', async () => {
  const hosts = Array.from({ length: 30 }, (_, index) => `shop${index}.example`)
  const one = `0x${'ab'.repeat(20)}`
  const opened = await setUp(() => BOUGHT, hosts, { payTo: () => one })
  for (let rounds = 0; rounds < 5; rounds++) await opened.round()
  expect(opened.calls).toHaveLength(MOST_PER_RECEIVER)
  const upper = one.toUpperCase().replace('0X', '0x')
  expect(await receiverFreeAt(opened.ctx, 'eip155:8453', upper)).toBe(NOON + 7 * DAY)
  await opened.clock.sleep(7 * DAY)
  expect(await receiverFreeAt(opened.ctx, 'eip155:8453', one)).toBe(0)
})

test('behavior: the order is drawn by lot', async () => {
  const hosts = Array.from({ length: 12 }, (_, index) => `h${index}.example`)
  const orders = await Promise.all(
    [1, 2].map(async (seed) => {
      const { round, calls } = await setUp(() => BOUGHT, hosts, { random: seeded(seed) })
      await round()
      return calls
    }),
  )
  expect(orders[0]).not.toEqual(orders[1])
  for (const order of orders) expect(order.toSorted()).toEqual(hosts.toSorted())
})

test('rule 9: buys only what the host itself declares, never the body or query of a listing', async () => {
  const foreign = { directory: 'bazaar', ownClaim: false, method: 'DELETE', body: '{"all":true}' }
  const query = 'https://a.example/a?wallet=evil'
  const listings = {
    'a.example': [
      { directory: 'host', ownClaim: true, method: 'POST', body: '{"q":1}' },
      { ...foreign, url: query, at: NOON + 1 },
    ],
    'b.example': [foreign],
    'c.example': [],
  }
  const { round, sent } = await setUp(() => BOUGHT, Object.keys(listings), {
    listings: (host) => listings[host as keyof typeof listings],
  })
  await round()
  expect(sent).toEqual([{ url: 'https://a.example/a', method: 'POST', body: '{"q":1}' }])
})

test('rule 13: an account pays at most 20 purchases, also across a restart', async () => {
  const hosts = Array.from({ length: 45 }, (_, index) => `h${index}.example`)
  const { round, accounts, store, clock } = await setUp(() => BOUGHT, hosts)
  await round()
  expect(await accounts.current()).toMatchObject({ index: 2, payments: 45 - 2 * PAYMENTS_PER_ACCOUNT })
  const again = createShopperAccounts({ store, clock }, KEY)
  expect((await again.current()).account.address).toBe((await accounts.current()).account.address)
  // Receivers are read without the payments of all of them, and of the next one.
  expect((await again.addresses()).size).toBe(4)
})

test('rule 13: the log tells of a purchase after 30 days, once, and late if the service stood still', async () => {
  const { round, store, clock, publishDue } = await setUp(() => BOUGHT, ['a.example'])
  await round()
  expect([await countWaiting(store), await publishDue()]).toEqual([0, 0])
  await clock.sleep(30 * DAY - 1)
  expect(await publishDue()).toBe(0)
  await clock.sleep(20 * DAY)
  expect([await publishDue(), await publishDue()]).toEqual([1, 0])
  await store.write('sequenceLeaves', 10)
  const [leaf] = await readLeaves(store, 0, 10)
  expect(JSON.parse(leaf?.leaf ?? '')).toMatchObject({
    kind: 'purchase',
    at: new Date(NOON).toISOString(),
    settled: true,
  })
})

/** Creates an incident that cites a record. */
function cite(endpoint: string, id: string): PublishedIncident {
  const incident = anIncident({ kind: 'honeypot', endpoint, host: 'a.example', observations: [id] })
  return { kind: 'incident', id: incident.id, at: NOON, incident }
}

test('rule 13: a purchase that is published as evidence is logged, and retires its account, at once', async () => {
  const { round, store, judge, accounts, clock } = await setUp(
    () => ({ ...BOUGHT, delivered: false }),
    ['a.example'],
  )
  judge.after = async (endpoint) => {
    await store.write('append', [cite(endpoint, 'buy_2')])
  }
  await round()
  await clock.sleep(LATEST_CONFIRM)
  expect(await round()).toBe(1)
  // Account 0 made the first one, and 1 the confirmation.
  expect(await accounts.current()).toMatchObject({ index: 2, payments: 0 })
  expect(await countWaiting(store)).toBe(1)
})

test('abuse of rule 13: incidents that cite none of our purchases retire no account', async () => {
  const { round, store, accounts } = await setUp(() => BOUGHT, ['a.example'])
  await store.write('append', [cite('https://a.example/a', 'obs_1')])
  await round()
  expect(await accounts.current()).toMatchObject({ index: 0, payments: 1 })
  expect(await countWaiting(store)).toBe(0)
})

test('rule 14, abuse: a failed purchase is confirmed from another account', async () => {
  const used: number[] = []
  const { round, clock, accounts } = await setUp(() => ({ ...BOUGHT, delivered: false }), ['a.example'])
  used.push((await accounts.current()).index)
  await round()
  await clock.sleep(LATEST_CONFIRM)
  expect(await round()).toBe(1)
  used.push((await accounts.current()).index)
  expect(used).toEqual([0, 1])
})

test('behavior: over 54 hours each host is bought from, and each day says what was bought', async () => {
  const { shop, clock, calls, days } = await setUp(() => BOUGHT, ['a.example', 'b.example', 'c.example'], {
    budget: 2,
  })
  const ending = new AbortController()
  const { sleep } = clock
  const until = clock.now() + 54 * HOUR
  clock.sleep = (ms, signal) => {
    if (clock.now() >= until) ending.abort()
    return sleep(ms, signal)
  }
  await shop.run(ending.signal)
  expect(calls).toHaveLength(2)
  expect(days().map(describeDay)).toEqual([
    'test purchases on 2026-06-01: 2 bought, 2 delivered, 0 not delivered; hosts not bought from: 2 bought_lately, 1 budget_spent',
    'test purchases on 2026-06-02: nothing bought; hosts not bought from: 2 bought_lately, 1 budget_spent',
  ])
})

test('behavior: a day without a purchase says why, by the code of each host', async () => {
  const { shop, clock, days, round } = await setUp(() => refused(false, 'VERDICT_UNAVAILABLE'))
  await round()
  expect(shop.today().reasons).toEqual({ no_verdict: 3 })
  await clock.sleep(DAY)
  await round()
  expect(days()).toMatchObject([{ delivered: 0, undelivered: 0, unsettled: 0, reasons: { no_verdict: 3 } }])
  const closed = await setUp(() => BOUGHT, ['a.example'], { reason: 'not_declared' })
  await closed.round()
  expect(closed.shop.today().reasons).toEqual({ not_declared: 1 })
  expect(describeDay({ ...closed.shop.today(), reasons: {} })).toContain(
    'nothing bought; hosts not bought from: none works',
  )
})

test('rule 13: a purchase is shown 3 to 21 days later, at a drawn time', async () => {
  const shownAfter = async (random: () => number) => {
    const { round, store } = await setUp(() => BOUGHT, ['a.example'], { random })
    await round()
    const [{ at = 0, shownFrom = 0 } = {}] = await readPurchases(store, 'a.example')
    return (shownFrom - at) / DAY
  }
  expect([await shownAfter(() => 0), await shownAfter(() => 0.5), await shownAfter(() => 0.999)]).toEqual([
    3,
    12,
    expect.closeTo(21, 1),
  ])
})

test('rule 14: a purchase that was paid and not delivered is logged once verdicts show it, and retires its account', async () => {
  const { round, clock, publishDue, accounts } = await setUp(
    () => ({ ...BOUGHT, delivered: false, httpStatus: 404 }),
    ['a.example'],
  )
  await round()
  await clock.sleep(12 * DAY - 1)
  expect(await publishDue()).toBe(0)
  await clock.sleep(1)
  expect(await publishDue()).toBe(1)
  expect(await accounts.current()).toMatchObject({ index: 1, payments: 0 })
})

const SELLER = `0x${'a1'.repeat(20)}`
/** A call above the limit, for which its seller has paid. */
const DEAR: Options = {
  reason: 'price_above_limit',
  payTo: () => SELLER,
  credit: SELLER,
}

test('rule 13: a seller that funds a purchase in advance is bought from beyond the limit, once, and is paid alone', async () => {
  const { round, clock, paid, store, spentOn } = await setUp(() => BOUGHT, ['a.example'], DEAR)
  expect(await round()).toBe(1)
  expect(paid).toMatchObject([{ usd: '5', payTo: SELLER, isFunded: true }])
  expect(await spentOn()).toBe('https://a.example/a')
  await clock.sleep(8 * DAY)
  expect(await round()).toBe(0)
  expect(await readPurchases(store, 'a.example')).toMatchObject([{ isFunded: true }])
})

test('rule 13: a funded purchase of which nothing was paid keeps its credit, also if the shopper fails', async () => {
  const { round, spentOn } = await setUp(() => refused(false), ['a.example'], DEAR)
  expect([await round(), await spentOn()]).toEqual([0, null])
  const broken = await setUp(
    () => {
      throw new Error('the ledger is lost')
    },
    ['a.example'],
    DEAR,
  )
  await expect(broken.round()).rejects.toThrow('the ledger is lost')
  expect(await broken.spentOn()).toBeNull()
})

test('rule 13, abuse: a credit that endpoints of another domain match too funds neither', async () => {
  const tag = (path: string) => fundingAmount(`https://thief.test/${path}`, 0n)
  const wanted = fundingAmount('https://a.example/a', 0n)
  const path = Array.from({ length: 200_000 }, (_, index) => `${index}`).find((one) => tag(one) === wanted)
  const { round, store, spentOn } = await setUp(() => BOUGHT, ['a.example'], DEAR)
  const [own] = (await readHost(store, 'a.example'))?.endpoints ?? []
  if (own === undefined || path === undefined) throw new Error('there is such a path')
  await store.write('putEndpoint', { ...own, host: 'thief.test', endpoint: `https://thief.test/${path}` })
  expect([await round(), await spentOn()]).toEqual([0, null])
})

test('rule 13, honest: a funded call that the account cannot pay keeps nobody else waiting', async () => {
  const { round, calls, store, linesOf, spentOn } = await setUp(() => BOUGHT, ['a.example', 'b.example'], {
    payTo: (host) => (host === 'a.example' ? SELLER : BOUGHT.payTo),
    credit: SELLER,
    isFunded: (priceUsd) => priceUsd === undefined,
    random: () => 0.999,
  })
  const [own] = (await readHost(store, 'a.example'))?.endpoints ?? []
  if (own === undefined) throw new Error('the host has an endpoint')
  const delivery = {
    status: 'cannot_be_bought',
    month: null,
    paidUsd: null,
    reason: 'price_above_limit',
  } as const
  await store.write('putEndpoint', { ...own, delivery })
  expect([await round(), calls, await spentOn()]).toEqual([1, ['b.example'], null])
  expect(linesOf('shopper_unfunded')).toHaveLength(1)
})

test('rule 14: a funded purchase that failed is confirmed from our own money, and without a credit', async () => {
  const failed = { ...BOUGHT, amountAtomic: '5000000', delivered: false }
  const { round, clock, paid } = await setUp(() => failed, ['a.example'], DEAR)
  await round()
  await clock.sleep(LATEST_CONFIRM)
  expect(await round()).toBe(1)
  expect(paid[1]).toMatchObject({ usd: '5', payTo: SELLER, isFunded: false })
})

test('behavior: the counts of a day survive a restart, and a day that ended meanwhile is still reported', async () => {
  const { open, round, clock, days } = await setUp(() => BOUGHT)
  await round()
  const signal = new AbortController().signal
  const again = open()
  await again.shopOnce(signal)
  expect(again.today()).toMatchObject({ delivered: 3, reasons: { bought_lately: 3 } })
  await clock.sleep(DAY)
  await open().shopOnce(signal)
  expect(days()).toMatchObject([{ date: '2026-06-01', delivered: 3 }])
})
