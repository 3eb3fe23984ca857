import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAddress } from '../columns/columns.ts'
import { columnsOf, type Row } from '../testing/columnsOf.ts'
import { sumNets } from './nets.ts'

const who = (n: number) => `0x${(n + 1).toString(16).padStart(40, 'a')}`
/** Smallest value that needs two limbs. */
const NARROWEST_WIDE = 2n ** 48n

const rowsUpTo = (max: bigint): fc.Arbitrary<Row[]> =>
  fc
    .array(
      fc.record({
        from: fc.integer({ min: 0, max: 3 }).map(who),
        to: fc.integer({ min: 0, max: 3 }).map(who),
        value: fc.oneof(fc.bigInt({ min: 0n, max }), fc.constantFrom(0n, 1n, max)),
      }),
      { maxLength: 150, size: 'max' },
    )
    .map((list) => list.map((row, i) => ({ ...row, block: 1000 + i, tx: i + 1 })))

function expectExact(rows: readonly Row[]) {
  const columns = columnsOf([...rows])
  const nets = sumNets(columns)
  expect(nets.volume).toBe(rows.reduce((sum, { value }) => sum + value, 0n))
  for (const address of [0, 1, 2, 3].map(who)) {
    const own = rows.filter(({ from, to }) => from === address || to === address)
    const slot = findAddress(columns, address)
    if (slot < 0) {
      expect(own).toEqual([])
      continue
    }
    const net = own.reduce(
      (sum, { from, to, value }) => sum + (to === address ? value : 0n) - (from === address ? value : 0n),
      0n,
    )
    expect(nets.hasMoved(slot)).toBe(own.length > 0)
    expect(nets.at(slot)).toBe(net)
    expect(Math.sign(nets.approximate(slot))).toBe(net > 0n ? 1 : net < 0n ? -1 : 0)
    if (net < 2n ** 53n && net > -(2n ** 53n)) expect(nets.approximate(slot)).toBe(Number(net))
  }
}

describe('sumNets', () => {
  test('default: is exact for values of one limb, for any number of rows', () => {
    fc.assert(fc.property(rowsUpTo(NARROWEST_WIDE - 1n), expectExact))
    // All in one direction: the sum exceeds one limb.
    expectExact(
      Array.from({ length: 5000 }, (_, i) => ({
        block: 1000 + i,
        tx: i + 1,
        from: who(0),
        to: who(1),
        value: NARROWEST_WIDE - 1n,
      })),
    )
  })

  test('behavior: is exact with wider values', () => {
    fc.assert(fc.property(rowsUpTo(NARROWEST_WIDE), expectExact))
    fc.assert(fc.property(rowsUpTo(2n ** 256n - 1n), expectExact))
  })
})
