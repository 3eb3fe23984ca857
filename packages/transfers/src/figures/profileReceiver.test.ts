import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnsOf, type Row } from '../testing/columnsOf.ts'
import type { Address, ReceiverFacts } from '../types.ts'
import { blocksToDate, profileReceiver } from './profileReceiver.ts'

const RECEIVER: Address = `0x${'aa'.repeat(20)}`
const payer = (n: number): Address => `0x${(n + 1).toString(16).padStart(40, '0')}`
const DAY_BLOCKS = 43_200
const AS_OF = 100 * DAY_BLOCKS
const timeAt = (block: number) => 1_700_000_000 + block * 2
const ref = (number: number) => ({ number, hash: `0x${'0'.repeat(64)}` as const, time: timeAt(number) })

function factsOf(
  receipts: Row[],
  outflows: Row[] = [],
  relayed: Row[][] = [],
  ignoredPayers?: ReadonlySet<Address>,
): ReceiverFacts {
  const scannable = {
    receiver: RECEIVER,
    ignoredPayers,
    receipts: columnsOf(receipts),
    outflows: columnsOf(outflows),
  }
  return {
    ...scannable,
    isContract: false,
    isSanctioned: null,
    relayed: relayed.map(columnsOf),
    isWhole: true,
    asOf: ref(AS_OF),
    historyFrom: ref(AS_OF - 90 * DAY_BLOCKS),
    block30d: AS_OF - 30 * DAY_BLOCKS,
    block90d: AS_OF - 90 * DAY_BLOCKS,
    blockTimes: new Map(blocksToDate(scannable).map((block) => [block, timeAt(block)])),
  }
}

/** Builds `count` receipts, 100 blocks apart, up to `lastBlock`, from `payers` in turn. */
const busy = (count: number, payers: number, lastBlock = AS_OF): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    block: lastBlock - (count - 1 - i) * 100,
    from: payer(i % payers),
    to: RECEIVER,
    value: 1000n,
  }))

describe('profileReceiver', () => {
  test('default: 50 receipts from 10 payers make an established receiver', () => {
    const profile = profileReceiver(factsOf(busy(50, 10)))
    expect(profile).toMatchObject({ category: 'established', receipts: 50, payers: 10, payers30d: 10 })
    expect(profile.lastReceiptAt).toBe(timeAt(AS_OF))
    expect(profile.firstReceiptAt).toBe(timeAt(AS_OF - 4900))
  })

  test('behavior: is blank with one payer or one receipt too few', () => {
    expect(profileReceiver(factsOf(busy(50, 9))).category).toBe('blank')
    expect(profileReceiver(factsOf(busy(49, 10))).category).toBe('blank')
  })

  test('behavior: ignored payers leave no trace in counts and times', () => {
    const others = busy(50, 10, AS_OF - 100)
    const own = new Set([payer(98), payer(99)])
    const ours = { from: payer(99), to: RECEIVER, value: 1000n }
    const rows = [{ ...ours, block: 1 }, ...others, { ...ours, from: payer(98), block: AS_OF }]
    const profile = profileReceiver(factsOf(rows, [], [], own))
    expect(profile).toEqual(profileReceiver(factsOf(others)))
    expect(profile.lastReceiptAt).toBe(timeAt(AS_OF - 100))
    expect(profileReceiver(factsOf([rows[0] ?? []].flat(), [], [], own)).raw.receipts).toBe(0)
  })

  test('behavior: is dormant if the last receipt is older than 30 days', () => {
    const edge = AS_OF - 30 * DAY_BLOCKS
    expect(profileReceiver(factsOf(busy(50, 10, edge))).category).toBe('established')
    expect(profileReceiver(factsOf(busy(50, 10, edge - 1)))).toMatchObject({
      category: 'dormant',
      receipts30d: 0,
      receipts90d: 50,
    })
    expect(profileReceiver(factsOf(busy(1, 1, edge - 1))).category).toBe('dormant')
  })

  test('behavior: a receiver that was never paid has no dates', () => {
    expect(profileReceiver(factsOf([]))).toMatchObject({
      category: 'blank',
      raw: { receipts: 0 },
      firstReceiptAt: null,
      lastReceiptAt: null,
      lastOutflowAt: null,
    })
  })

  test('behavior: payers that the receiver funded do not count, before or after they paid', () => {
    const receipts = busy(60, 12)
    const before = { block: 1, from: RECEIVER, to: payer(0), value: 5n }
    const after = { block: AS_OF, from: RECEIVER, to: payer(1), value: 5n }
    const dust = { block: AS_OF, from: RECEIVER, to: payer(2), value: 0n }
    expect(profileReceiver(factsOf(receipts, [before, after, dust]))).toMatchObject({
      category: 'established',
      raw: { receipts: 60, payers: 12, payers30d: 12, payers90d: 12 },
      receipts: 50,
      payers: 10,
      selfFundedExcluded: 2,
      outflows: 2,
      lastOutflowAt: timeAt(AS_OF),
    })
    const third = { block: AS_OF, from: RECEIVER, to: payer(2), value: 1n }
    expect(profileReceiver(factsOf(receipts, [before, after, third])).category).toBe('blank')
  })

  test('behavior: payers that an address funded which the receiver funded do not count', () => {
    const relay = payer(500)
    const outflows = [{ block: 1, from: RECEIVER, to: relay, value: 9n }]
    const paid = [0, 1, 2].map((n) => ({ block: 2, from: relay, to: payer(n), value: n === 2 ? 0n : 3n }))
    expect(profileReceiver(factsOf(busy(60, 12), outflows, [paid]))).toMatchObject({
      category: 'established',
      raw: { receipts: 60, payers: 12 },
      receipts: 50,
      payers: 10,
      selfFundedExcluded: 0,
      cycleExcluded: 2,
    })
    const toAll = Array.from({ length: 12 }, (_, n) => ({ block: 2, from: relay, to: payer(n), value: 3n }))
    expect(profileReceiver(factsOf(busy(60, 12), outflows, [toAll]))).toMatchObject({
      category: 'blank',
      payers: 0,
      cycleExcluded: 12,
    })
  })

  test('behavior: a first receipt is stated only if the whole history was read', () => {
    const facts = factsOf(busy(3, 1))
    expect(profileReceiver({ ...facts, isWhole: false })).toMatchObject({
      isWhole: false,
      firstReceiptAt: null,
      lastReceiptAt: timeAt(AS_OF),
    })
  })

  test('behavior: adjusted counts never exceed raw ones', () => {
    const row = fc.record({
      block: fc.integer({ min: 0, max: AS_OF }),
      from: fc.integer({ min: 0, max: 6 }),
      to: fc.integer({ min: 0, max: 6 }),
      value: fc.bigInt(0n, 3n),
    })
    const some = (n: number) => (n === 0 ? RECEIVER : payer(n))
    const rows = fc
      .array(row, { maxLength: 40 })
      .map((list) =>
        list
          .map(({ from, to, ...rest }) => ({ ...rest, from: some(from), to: some(to) }))
          .sort((a, b) => a.block - b.block),
      )
    fc.assert(
      fc.property(rows, rows, rows, (receipts, outflows, relayed) => {
        const { raw, selfFundedExcluded, cycleExcluded, ...adjusted } = profileReceiver(
          factsOf(receipts, outflows, [relayed]),
        )
        expect(raw.payers).toBe(adjusted.payers + selfFundedExcluded + cycleExcluded)
        for (const name of ['receipts', 'receipts30d', 'receipts90d', 'payers30d', 'payers90d'] as const)
          expect(adjusted[name]).toBeLessThanOrEqual(raw[name])
      }),
    )
  })

  test('behavior: is blank, not dormant, if all payers were self-funded', () => {
    const receipts = busy(60, 1, AS_OF - 40 * DAY_BLOCKS)
    const outflows = [{ block: 1, from: RECEIVER, to: payer(0), value: 5n }]
    expect(profileReceiver(factsOf(receipts, outflows))).toMatchObject({
      category: 'blank',
      raw: { receipts: 60, receipts30d: 0 },
    })
  })

  test('behavior: zero values, transfers to itself and transfers to others are not receipts; mints are in raw only', () => {
    const zero: Address = `0x${'0'.repeat(40)}`
    const rows: Row[] = [
      { block: 5, from: payer(1), to: RECEIVER, value: 0n },
      { block: 6, from: zero, to: RECEIVER, value: 9n },
      { block: 7, from: RECEIVER, to: RECEIVER, value: 9n },
      { block: 8, from: payer(1), to: payer(2), value: 9n },
    ]
    expect(profileReceiver(factsOf(rows))).toMatchObject({
      category: 'blank',
      raw: { receipts: 1, payers: 1 },
      receipts: 0,
      payers: 0,
    })
    const wide = [{ block: 9, from: payer(1), to: RECEIVER, value: 2n ** 255n }]
    expect(profileReceiver(factsOf(wide)).raw.receipts).toBe(1)
  })

  test('behavior: an additional receipt never lowers the category', () => {
    const rank = { blank: 0, dormant: -1, established: 1 }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 12 }), (count, payers) => {
        const before = profileReceiver(factsOf(busy(count, payers)))
        const after = profileReceiver(
          factsOf([...busy(count, payers), { block: AS_OF, from: payer(99), to: RECEIVER, value: 1n }]),
        )
        expect(rank[after.category]).toBeGreaterThanOrEqual(rank[before.category])
        expect(after.payers).toBe(before.payers + 1)
      }),
    )
  })
})
