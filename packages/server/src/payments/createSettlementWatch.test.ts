import { BASE } from '@touchstone402/shared'
import {
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbi,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { countUnsettled, readClaim } from '../store/claims.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { createSettlementWatch } from './createSettlementWatch.ts'
import type { UseReader } from './findUse.ts'
import { createPaymentContext, loggedDoubts, owedNonces } from './testing/createPaymentContext.ts'

const START = 1_780_000_000_000
const FACILITATOR = 'https://pay.example/x402'
const [ASSET, PAYER, SELLER, TX] = ['a1', 'b2', 'c3']
  .map((byte) => byte.repeat(20))
  .concat('ab'.repeat(32))
  .map((hex): Hex => `0x${hex}`) as [Hex, Hex, Hex, Hex]
const ABI = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

const receiptFor = (nonce: Hex) =>
  ({
    status: 'success',
    logs: [
      {
        address: ASSET,
        data: '0x',
        topics: encodeEventTopics({
          abi: ABI,
          eventName: 'AuthorizationUsed',
          args: { authorizer: PAYER, nonce },
        }),
      },
      {
        address: ASSET,
        data: encodeAbiParameters([{ type: 'uint256' }], [5000n]),
        topics: encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from: PAYER, to: SELLER } }),
      },
    ],
  }) as unknown as TransactionReceipt

/** Opens a watch over a node that can go wrong; blocks take two seconds. */
function open() {
  const world = {
    now: START,
    /** Unix time in ms at which the head stands still. */
    frozenAt: Number.POSITIVE_INFINITY,
    isDown: false,
    isUsed: false,
    hasReceipts: false,
    /** By how much the head is ahead of the time. */
    aheadMs: 0,
    /** Number of blocks that a query for logs may span. */
    maxRange: 1_000_000n,
    answered: 0,
    asked: { logs: [] as bigint[], states: 0 },
  }
  const store = createMemoryStore()
  let unsettledReads = 0
  const blockAt = (number: bigint) => ({ number, timestamp: number * 2n })
  const head = () => BigInt(Math.floor((Math.min(world.now, world.frozenAt) + world.aheadMs) / 2000))
  const answer = async <T>(read: () => T): Promise<T> => {
    if (world.isDown) throw new Error('the node is down')
    return read()
  }
  const chain = {
    getBlock: ({ blockNumber = head() }: { blockNumber?: bigint }) => answer(() => blockAt(blockNumber)),
    readContract: () =>
      answer(() => {
        world.asked.states += 1
        return world.isUsed
      }),
    getLogs: ({ fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint }) =>
      answer(() => {
        world.asked.logs.push(toBlock)
        if (toBlock - fromBlock >= world.maxRange) throw new Error('the range is too wide')
        world.answered++
        return []
      }),
    getTransactionReceipt: ({ hash }: { hash: Hex }) =>
      answer(() => {
        if (!world.hasReceipts) throw new TransactionReceiptNotFoundError({ hash })
        return receiptFor(`0x${'01'.repeat(32)}`)
      }),
  } as unknown as UseReader
  const counted = withReads(store, 'payment', (rows) => {
    unsettledReads += 1
    return rows
  })
  const { ctx, events } = createPaymentContext(counted, { facilitatorUrl: FACILITATOR }, () => world.now)
  const watch = createSettlementWatch(ctx, chain)
  const add = async (
    number: number,
    state: 'reported' | 'unknown' | 'refused',
    more: { network?: string; facilitator?: string } = {},
  ) => {
    const key = { network: BASE, asset: ASSET, from: PAYER, ...more, nonce: `0x${`0${number}`.repeat(32)}` }
    const terms = { binding: 'GET /', payTo: SELLER, amountAtomic: '5000', claimedAt: world.now }
    const validBefore = world.now / 1000 + 120
    const facilitator = more.facilitator ?? 'https://pay.example'
    await store.write('claimPayment', { ...key, ...terms, validBefore, facilitator })
    await store.write('advancePayment', key, 'settling', { at: world.now })
    await store.write('advancePayment', key, state, { at: world.now, txHash: TX })
    return key
  }
  const later = (ms: number) => {
    world.now += ms
    return watch.check()
  }
  return { world, claims: store, watch, events, add, later, reads: () => unsettledReads }
}

test('default: three settlements that the chain denies end the trust', async () => {
  const { watch, add, later, events } = open()
  for (const number of [1, 2, 3]) await add(number, 'reported')
  expect(watch.isTrusted()).toBe(false)
  await watch.check()
  expect(watch.isTrusted()).toBe(true)
  expect(await later(3 * MINUTE)).toMatchObject({ missing: 3 })
  expect([watch.isTrusted(), loggedDoubts(events)]).toEqual([false, [{ missing: 3, overdue: 0 }]])
})

test('error: a chain that is down or stands still ends the trust after five minutes, until it moves on', async () => {
  for (const fault of [{ isDown: true }, { frozenAt: START }]) {
    const { world, watch, add, later, events } = open()
    Object.assign(world, fault)
    await add(1, 'reported')
    await later(5 * MINUTE)
    expect(watch.isTrusted()).toBe(true)
    expect(await later(1)).toMatchObject({ missing: 0 })
    expect([watch.isTrusted(), loggedDoubts(events)]).toEqual([false, [{ missing: 0, overdue: 1 }]])
    const reasons = events.flatMap(({ event, reason }) => (event === 'payments_unconfirmed' ? [reason] : []))
    expect(new Set(reasons)).toEqual(new Set('isDown' in fault ? ['the node is down'] : []))
    Object.assign(world, { isDown: false, frozenAt: Number.POSITIVE_INFINITY, hasReceipts: true })
    expect(await later(MINUTE)).toMatchObject({ settled: 1 })
    expect(watch.isTrusted()).toBe(true)
  }
})

test('behavior: a node without logs and receipts raises no accusation', async () => {
  const { world, watch, add, later, claims } = open()
  world.isUsed = true
  for (const number of [1, 2, 3]) await add(number, 'reported')
  expect(await later(10 * MINUTE)).toMatchObject({ used: 3, missing: 0 })
  expect(await countUnsettled(claims)).toEqual({ reported: 3 })
  expect(watch.isTrusted()).toBe(true)
})

test('behavior: a payment used out of sight is looked for until its expiry, hourly, for a day', async () => {
  const { world, add, later } = open()
  world.isUsed = true
  await add(1, 'unknown')
  expect(await later(HOUR)).toMatchObject({ used: 1 })
  // Expired 58 minutes ago: with blocks of two seconds the search ends less than a range after that.
  const [last] = world.asked.logs
  expect(Number(last) * 2 - START / 1000).toBeGreaterThanOrEqual(120)
  expect(Number(last) * 2 - START / 1000).toBeLessThan(120 + 2000)
  world.asked.states = 0
  for (let minutes = 0; minutes < 3 * 24 * 60; minutes += 10) await later(10 * MINUTE)
  expect(world.asked.states).toBe(22)
})

test('behavior: a missing settlement that appears after its expiry is settled within the hour', async () => {
  const { world, watch, add, later, claims } = open()
  const key = await add(1, 'reported')
  expect(await later(10 * MINUTE)).toMatchObject({ missing: 1 })
  world.hasReceipts = true
  await later(59 * MINUTE)
  expect((await readClaim(claims, key, world.now))?.state).toBe('missing')
  expect(await later(MINUTE)).toMatchObject({ settled: 1 })
  expect((await readClaim(claims, key, world.now))?.state).toBe('settled')
  await later(2 * DAY)
  expect(watch.isTrusted()).toBe(true)
})

test('behavior: what another facilitator reported, or was sold on another network, says nothing', async () => {
  const { watch, add, later } = open()
  for (const number of [1, 2, 3]) await add(number, 'reported', { facilitator: 'https://old.example' })
  for (const number of [4, 5, 6]) await add(number, 'reported', { network: 'eip155:84532' })
  expect(await later(10 * MINUTE)).toMatchObject({ missing: 3, open: 0 })
  await later(MINUTE)
  expect(watch.isTrusted()).toBe(true)
})

test('behavior: a check reads the claims once', async () => {
  const { add, later, reads } = open()
  await add(1, 'reported')
  await later(MINUTE)
  expect(reads()).toBe(1)
})

test('behavior: a payment of an empty wallet is dropped once it expired unused on chain, a used one never', async () => {
  const { world, claims, add, later } = open()
  const key = await add(1, 'unknown')
  expect(await later(MINUTE)).toMatchObject({ open: 1 })
  // Expired, but the chain can still change its mind.
  await later(MINUTE + 30_000)
  expect(await readClaim(claims, key, world.now)).toMatchObject({ state: 'unknown' })
  expect(await later(MINUTE)).toMatchObject({ released: 1 })
  expect(await readClaim(claims, key, world.now)).toBeUndefined()

  world.isUsed = true
  const used = await add(2, 'unknown')
  await later(DAY)
  expect(await readClaim(claims, used, world.now)).toMatchObject({ state: 'unknown' })
  world.hasReceipts = true
  const settled = await add(1, 'unknown')
  expect(await later(MINUTE)).toMatchObject({ owed: 1 })
  await later(DAY)
  expect(await readClaim(claims, settled, world.now)).toMatchObject({ state: 'owed', txHash: TX })
})

test('behavior: a refused payment is watched ever more rarely until it expires, and owed if it settles', async () => {
  const { world, claims, add, later, events } = open()
  const key = await add(2, 'refused')
  const checkedAt: number[] = []
  for (let seconds = 30; seconds <= 150; seconds += 30) {
    world.asked.states = 0
    await later(30_000)
    if (world.asked.states > 0) checkedAt.push(seconds)
  }
  expect(checkedAt).toEqual([30, 60, 120])
  expect(await later(MINUTE)).toMatchObject({ released: 1 })
  expect([await readClaim(claims, key, world.now), owedNonces(events)]).toEqual([undefined, []])

  const late = await add(1, 'refused')
  await later(MINUTE)
  Object.assign(world, { isUsed: true, hasReceipts: true })
  expect(await later(2 * MINUTE)).toMatchObject({ owed: 1 })
  expect(await readClaim(claims, late, world.now)).toMatchObject({ state: 'owed', txHash: TX })
  expect(owedNonces(events)).toEqual([late.nonce])
})

test('behavior: a payment whose process died before it was sent is released', async () => {
  const { world, claims, later } = open()
  const key = { network: BASE, asset: ASSET, from: PAYER, nonce: `0x${'03'.repeat(32)}` }
  const terms = { binding: 'GET /', payTo: SELLER, amountAtomic: '5000', claimedAt: world.now }
  await claims.write('claimPayment', { ...key, ...terms, validBefore: world.now / 1000 + 3600 })
  await later(MINUTE)
  expect(await readClaim(claims, key, world.now)).toMatchObject({ state: 'claimed' })
  await later(2 * MINUTE)
  expect(await readClaim(claims, key, world.now)).toMatchObject({ state: 'released' })
})

test('behavior: refused payments are looked up after the others, and so many in a round', async () => {
  const { world, watch, claims, add } = open()
  for (let number = 1; number <= 250; number++) {
    const key = {
      network: BASE,
      asset: ASSET,
      from: PAYER,
      nonce: `0x${number.toString(16).padStart(64, 'f')}`,
    }
    const terms = { binding: 'GET /', payTo: SELLER, amountAtomic: '5000', claimedAt: world.now }
    await claims.write('claimPayment', { ...key, ...terms, validBefore: world.now / 1000 + 3600 })
    for (const state of ['settling', 'refused'] as const)
      await claims.write('advancePayment', key, state, { at: world.now })
  }
  await add(2, 'unknown')
  const results = await watch.check()
  expect(results?.open).toBe(201)
})

test('behavior: a refused payment that was used without a trace is given up a day after it expired', async () => {
  const { world, claims, add, later } = open()
  world.isUsed = true
  const key = await add(2, 'refused')
  await later(3 * MINUTE)
  expect(await readClaim(claims, key, world.now)).toMatchObject({ state: 'refused' })
  for (let hours = 0; hours < 26; hours++) await later(HOUR)
  expect(await readClaim(claims, key, world.now)).toBeUndefined()
})

test('behavior: one block from the future voids no payment that is still valid', async () => {
  const { world, claims, add, later } = open()
  const key = await add(2, 'unknown')
  world.aheadMs = 10 * MINUTE
  await later(MINUTE)
  expect(await readClaim(claims, key, world.now)).toMatchObject({ state: 'unknown' })
})

test('behavior: a search asks for fewer blocks where the RPC refuses a range', async () => {
  const { world, add, later } = open()
  Object.assign(world, { isUsed: true, maxRange: 40n })
  await add(2, 'unknown')
  expect(await later(MINUTE)).toMatchObject({ used: 1, failed: 0 })
  expect(world.asked.logs.length).toBeLessThan(210)
  expect(world.answered).toBeGreaterThan(2)
})
