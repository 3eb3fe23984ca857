import { seededRandom } from '@touchstone402/shared/testing'
import { expect, test } from 'vitest'
import { honestWhenDue, hoursUntilCaught, stealAfterProbes, stealDaily } from './waitingSeller.ts'

const caught = (isHonest: Parameters<typeof hoursUntilCaught>[0]['isHonest'], schedule: 'drawn' | 'fixed') =>
  [1, 2, 3, 4, 5].map((seed) =>
    hoursUntilCaught({ isHonest, random: seededRandom(seed), schedule, mostHours: 200 }),
  )

test('behavior: a seller that is honest only when a probe was due is caught within a day', () => {
  for (const hours of caught(honestWhenDue, 'drawn')) expect(hours).toBeLessThan(24)
  // The abuse that drawn gaps end: with fixed ones it was never seen.
  expect(caught(honestWhenDue, 'fixed')).toEqual([null, null, null, null, null])
})

test('behavior: a seller that steals from each probe on is caught, however short its thefts are', () => {
  for (const hours of caught(stealAfterProbes(0.5), 'drawn')) expect(hours).toBeLessThan(48)
  for (const hours of caught(stealAfterProbes(0.9), 'drawn')) expect(hours).toBeLessThan(200)
  expect(caught(stealAfterProbes(0.5), 'fixed')).toEqual([null, null, null, null, null])
})

test('behavior: a seller that steals for hours of each day is caught', () => {
  for (const hours of caught(stealDaily(0.5), 'drawn')) expect(hours).toBeLessThan(48)
})

test('behavior: an honest seller stays Safe at drawn gaps', () => {
  expect(caught(() => true, 'drawn')).toEqual([null, null, null, null, null])
})
