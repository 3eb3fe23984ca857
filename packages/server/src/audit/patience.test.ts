import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { down, series, T0, unmeasured, up } from '../judge/testing/facts.ts'
import { patienceFor } from './patience.ts'

const silent = (count: number) => series(T0 + HOUR, count, HOUR, (at) => down(at, { cause: 'timeout' }))

test('default: a seller that answers, or did until lately, gets the time of the prober', () => {
  expect([[], [up(T0)], [up(T0), ...silent(3)], silent(3)].map(patienceFor)).toEqual(Array(4).fill(undefined))
})

test('behavior: rule 15, abuse: an endpoint that always hangs holds a worker less than half the time', () => {
  const limits = Array.from({ length: 60 }, (_, count) => patienceFor([up(T0), ...silent(count)]) ?? 30_000)
  const total = limits.reduce((sum, ms) => sum + ms, 0)
  expect(total / 60).toBeLessThan(18_000)
  // A slow seller that is back is found within three probes.
  for (let at = 0; at + 3 <= limits.length; at++) expect(limits.slice(at, at + 3)).toContain(30_000)
})

test('behavior: an answer of any kind ends the row, a fault of ours does not', () => {
  expect(patienceFor(silent(4))).toBe(10_000)
  expect(patienceFor([...silent(4), down(T0 + 9 * HOUR, { cause: 'server_error' })])).toBeUndefined()
  expect(patienceFor([...silent(4), unmeasured(T0 + 9 * HOUR, { cause: 'own_fault' })])).toBe(10_000)
})
