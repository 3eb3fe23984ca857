import type { Address, PaymentQuery } from '@touchstone402/transfers'
import { aPayment, pickPayments } from '@touchstone402/transfers/testing'
import { expect, test } from 'vitest'
import { createJumpClock } from '../crawl/testing/jumpClock.ts'
import { DAY } from '../facts/times.ts'
import { fundingAmount } from '../publish/fundedPurchase.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../store/testing/records.ts'
import { dueCredits, type FundingSource, refreshFunding, releaseCredit, spendCredit } from './funding.ts'

const SERVICE = `0x${'5e'.repeat(20)}` as const
const SELLER = `0x${'a1'.repeat(20)}` as const
const THIEF = `0x${'bb'.repeat(20)}` as const
const SHOP = 'https://shop.example/report'
const PRICE = 5_000_000n

type Paid = { readonly block: number; readonly from: Address; readonly value: bigint }

/** Opens a store with a host for each receiver, and a chain on which the service is paid. */
async function setUp(payments: Paid[], receivers: readonly string[] = [SELLER]) {
  const store = createMemoryStore()
  const clock = createJumpClock(NOON)
  const chain = { head: 1_000 }
  const queries: PaymentQuery[] = []
  for (const [index, payTo] of receivers.entries()) {
    const { endpoints, ...rest } = documentOf(`shop${index}.example`, NOON)
    await putHosts(store, { ...rest, endpoints: endpoints.map((state) => ({ ...state, payTo })) })
  }
  const source: FundingSource = {
    heads: async () => ({ latest: { number: chain.head } }) as never,
    async payments(query) {
      queries.push(query)
      const all = payments.map((paid) => aPayment({ ...paid, to: SERVICE }))
      return pickPayments(all, query)
    },
  }
  const ctx = { store, clock, random: () => 0.5, config: { network: 'eip155:8453', payTo: SERVICE } }
  const refresh = () => refreshFunding(ctx, source, '0.05')
  return { ctx, clock, chain, queries, refresh }
}

const amount = fundingAmount(SHOP, PRICE)

const listed = async (ctx: Parameters<typeof dueCredits>[0]) =>
  (await dueCredits(ctx)).map(({ from, amountAtomic }) => [from, amountAtomic])

/** Pays the service between two readings. */
async function pay(payments: readonly Paid[], receivers?: readonly string[]) {
  const paid: Paid[] = []
  const opened = await setUp(paid, receivers)
  await opened.refresh()
  paid.push(...payments)
  opened.chain.head = 1_100
  await opened.refresh()
  return opened
}

test('default: a payment of a receiver funds one purchase, days later, also over a restart', async () => {
  const { ctx, clock, refresh } = await pay([{ block: 1_010, from: SELLER, value: amount }])
  expect(await dueCredits(ctx)).toEqual([])
  await clock.sleep(8 * DAY)
  await refresh()
  expect(await listed(ctx)).toEqual([[SELLER, `${amount}`]])
  const [{ id = '' } = {}] = await dueCredits(ctx)
  expect(id).toMatch(/^0x0{61}3f2 0$/)
  expect([await spendCredit(ctx, id, SHOP), await spendCredit(ctx, id, SHOP)]).toEqual([true, false])
  expect(await dueCredits(ctx)).toEqual([])
})

test('behavior: a credit of which nothing was paid can be spent again, and expires after 90 days', async () => {
  const { ctx, clock } = await pay([{ block: 1_010, from: SELLER, value: amount }])
  await clock.sleep(8 * DAY)
  const [{ id = '' } = {}] = await dueCredits(ctx)
  await spendCredit(ctx, id, SHOP)
  await releaseCredit(ctx, id)
  expect(await spendCredit(ctx, id, SHOP)).toBe(true)
  await releaseCredit(ctx, id)
  await clock.sleep(83 * DAY)
  expect([await dueCredits(ctx), await spendCredit(ctx, id, SHOP)]).toEqual([[], false])
})

test('abuse of rule 13: payments of addresses that are no receiver are not kept', async () => {
  const payments = [
    { block: 1_010, from: SELLER, value: amount },
    { block: 1_011, from: THIEF, value: PRICE },
  ]
  const { ctx, clock } = await pay(payments)
  await clock.sleep(30 * DAY)
  expect(await listed(ctx)).toEqual([[SELLER, `${amount}`]])
})

test('behavior: reads each confirmed block once, a bounded number at a time, and ignores the sales of the service', async () => {
  const payments: Paid[] = [{ block: 950, from: SELLER, value: 20_000n }]
  const { chain, queries, refresh } = await setUp(payments)
  await refresh()
  expect(queries).toEqual([])
  chain.head = 200_060
  await refresh()
  await refresh()
  expect(queries.map(({ fromBlock, toBlock }) => [fromBlock, toBlock])).toEqual([
    [941, 50_940],
    [50_941, 100_940],
  ])
})

test('default: the amount is the price and a tag below a cent that the endpoint decides', () => {
  const tags = Array.from(
    { length: 500 },
    (_, index) => fundingAmount(`https://a.example/${index}`, PRICE) - PRICE,
  )
  expect(tags.every((tag) => tag > 0n && tag < 10_000n)).toBe(true)
  expect(new Set(tags).size).toBeGreaterThan(450)
  expect(fundingAmount(SHOP, PRICE)).toBe(amount)
})
