import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzRuns } from './fuzzRuns.ts'

const runs = Number(process.env.FUZZ_RUNS ?? 100)

function countCases(options: { numRuns?: number } = {}): number {
  let cases = 0
  fc.assert(
    fc.property(fc.nat(), () => void cases++),
    options,
  )
  return cases
}

test('default: properties run as many cases as the setting says', () => {
  expect(countCases()).toBe(runs)
})

test('behavior: an expensive property runs a fraction of them, at least one', () => {
  expect(countCases({ numRuns: fuzzRuns(0.5) })).toBe(Math.round(runs / 2))
  expect(countCases({ numRuns: fuzzRuns(1e-9) })).toBe(1)
})

test('error: a failing property prints the seed and the path that repeat it', () => {
  const failing = () =>
    fc.assert(
      fc.property(fc.nat(), (n) => n < 0),
      { seed: 7 },
    )
  expect(failing).toThrow(/\{ seed: 7, path: "[\d:]+", endOnFailure: true \}/)
})
