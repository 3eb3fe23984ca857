import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createShares } from './shares.ts'

test('default: one holder may take all but what others have for themselves', () => {
  const alone = createShares(64, 1)
  expect([alone.take('a', 64), alone.take('a', 1)]).toEqual([true, false])
  const two = createShares(64, 2)
  expect([two.take('a', 57), two.take('a', 56), two.take('a', 1)]).toEqual([false, true, false])
  expect([two.take('b', 9), two.take('b', 8)]).toEqual([false, true])
})

test('behavior: with more than eight holders, each has its equal part', () => {
  const shares = createShares(64, 16)
  expect([shares.take('a', 5), shares.take('a', 4), shares.take('p', 4)]).toEqual([false, true, true])
})

test('behavior: room that is given back can be taken again', () => {
  const shares = createShares(16, 2)
  expect([shares.take('a', 14), shares.take('b', 3)]).toEqual([true, false])
  shares.give('a', 14)
  expect([shares.take('b', 14), shares.take('a', 2)]).toEqual([true, true])
})

test('behavior: no holder ever takes the share of another, and the total is never exceeded', () => {
  const step = fc.record({ holder: fc.nat(3), amount: fc.nat(40), gives: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 8, max: 100 }), (steps, total) => {
      const shares = createShares(total, 4)
      const own = Math.floor(total / 8)
      const held = [0, 0, 0, 0]
      for (const { holder, amount, gives } of steps) {
        const given = gives ? Math.min(amount, held[holder] ?? 0) : 0
        if (gives) shares.give(String(holder), given)
        else if (shares.take(String(holder), amount)) held[holder] = (held[holder] ?? 0) + amount
        else expect((held[holder] ?? 0) + amount).toBeGreaterThan(own)
        held[holder] = (held[holder] ?? 0) - given
        expect(held.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(total)
      }
    }),
  )
})
