import { allSellers, type Character } from '@touchstone402/economy'
import { expect, test } from 'vitest'
import { describeBusy, isAudited, isIdle, type Progress } from './audits.ts'

const IDLE: Progress = {
  due: 0,
  round: null,
  discoveries: 4,
  directories: { read: 3, failed: 0, reading: 0 },
}

test('default: a crawl is idle between two rounds, with every directory read', () => {
  expect(isIdle(IDLE)).toBe(true)
})

test.each<[string, Partial<Progress>]>([
  ['an endpoint is due', { due: 1 }],
  ['a round goes on', { round: { startedAt: 0, probed: 20, total: 21 } }],
  ['no directory was read', { discoveries: 0 }],
  ['a directory is being read', { directories: { read: 2, failed: 0, reading: 1 } }],
])('behavior: a crawl is not idle while %s', (_, change) => {
  expect(isIdle({ ...IDLE, ...change })).toBe(false)
})

function specOf(wanted: Character) {
  const spec = allSellers.find(({ character }) => character === wanted)
  if (spec === undefined) throw new Error(`the economy has no seller that is ${wanted}`)
  return spec
}

test('default: the audit of an honest seller has finished once there is a verdict, whichever it is', () => {
  const verdicts = ['safe', 'caution', 'avoid', 'unknown']
  expect(verdicts.map((verdict) => isAudited(specOf('honest'), verdict))).toEqual([true, true, true, false])
})

test.each(['no-delivery', 'price-bait', 'cloaker', 'swapped', 'never-paid'] as const)(
  'behavior: the audit of a seller that is %s has not finished while it passes as safe',
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

test('behavior: a seller that asks not to be probed stays unknown', () => {
  expect(isAudited(specOf('opted-out'), 'unknown')).toBe(true)
})

test('error: the sentence names the services whose audits have not finished', () => {
  expect(describeBusy(['captions.localhost:8403', 'domains.localhost:8403'])).toBe(
    'This machine is too busy for the demonstration: audits of captions.localhost:8403, domains.localhost:8403 have not finished, and no agent paid anyone; try again when it is at rest.',
  )
})
