import { allSellers } from '@touchstone402/economy'
import { expect, test } from 'vitest'
import { nameSellers } from './sellerNames.ts'

test('default: sellers have different names, which can be hostnames and are not their ids', () => {
  const sellers = nameSellers()
  expect(sellers.map(({ id }) => id)).toEqual(allSellers.map(({ id }) => id))
  expect(new Set(sellers.map(({ name }) => name)).size).toBe(sellers.length)
  for (const { id, name } of sellers) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(name).not.toBe(id)
    // A name says what is sold, and gives nothing away of how its seller behaves.
    expect(name).not.toMatch(/honest|bad|swap|bait|cloak|fake|dead|never|opted|v\d/)
  }
})

test('error: refuses a seller without a name', () => {
  const [seller] = allSellers
  if (seller === undefined) throw new Error('the economy has no sellers')
  expect(() => nameSellers([{ ...seller, id: 'stranger' }])).toThrow('no name for stranger')
})
