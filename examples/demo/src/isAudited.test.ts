import { allSellers, type Character } from '@touchstone402/economy'
import { expect, test } from 'vitest'
import { isAudited } from './isAudited.ts'

function specOf(wanted: Character) {
  const spec = allSellers.find(({ character }) => character === wanted)
  if (spec === undefined) throw new Error(`the economy has no seller that is ${wanted}`)
  return spec
}

test('default: an honest seller is audited once it is known, whatever the verdict', () => {
  const verdicts = ['safe', 'caution', 'avoid', 'unknown']
  expect(verdicts.map((verdict) => isAudited(specOf('honest'), verdict))).toEqual([true, true, true, false])
})

test.each(['no-delivery', 'price-bait', 'cloaker', 'swapped', 'never-paid'] as const)(
  'behavior: a seller that is %s is not audited while it passes as safe',
  (character) => {
    const verdicts = ['safe', 'unknown', 'caution', 'avoid']
    expect(verdicts.map((verdict) => isAudited(specOf(character), verdict))).toEqual([
      false,
      false,
      true,
      true,
    ])
  },
)

test('behavior: a seller that changes its receiver later is safe until then', () => {
  expect(['safe', 'unknown'].map((verdict) => isAudited(specOf('swap-now'), verdict))).toEqual([true, false])
})

test('behavior: a seller that lets nobody probe it stays unknown', () => {
  expect(isAudited(specOf('opted-out'), 'unknown')).toBe(true)
})
