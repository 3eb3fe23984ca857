import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { betaQuantile, incompleteBeta } from './beta.ts'

describe('betaQuantile', () => {
  test('default', () => {
    // Beta(1,1) is uniform; Beta(n,1) has the closed form p^(1/n), Beta(1,n) 1-(1-p)^(1/n).
    expect(betaQuantile(0.975, 1, 1)).toBeCloseTo(0.975, 9)
    expect(betaQuantile(0.5, 10, 1)).toBeCloseTo(0.5 ** 0.1, 9)
    expect(betaQuantile(0.975, 1, 20)).toBeCloseTo(1 - 0.025 ** 0.05, 9)
    // Beta(2,2): 3x² - 2x³ = p. Beta(3,3) at 97.5 %: the known 0.85337.
    const x = betaQuantile(0.9, 2, 2)
    expect(3 * x ** 2 - 2 * x ** 3).toBeCloseTo(0.9, 9)
    expect(betaQuantile(0.975, 3, 3)).toBeCloseTo(0.85337, 5)
  })

  test('behavior: the quantile inverts the distribution', () => {
    const parameter = fc.double({ min: 0.5, max: 500, noNaN: true })
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), parameter, parameter, (p, a, b) => {
        expect(incompleteBeta(betaQuantile(p, a, b), a, b)).toBeCloseTo(p, 5)
      }),
    )
  })

  test('behavior: the distribution agrees with the binomial sum', () => {
    // I_x(k, n-k+1) = P(Bin(n, x) >= k).
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k)
    for (const [n, k, x] of [
      [10, 7, 0.6],
      [40, 38, 0.95],
      [5, 1, 0.02],
    ] as const) {
      let sum = 0
      for (let i = k; i <= n; i++) sum += choose(n, i) * x ** i * (1 - x) ** (n - i)
      expect(incompleteBeta(x, k, n - k + 1)).toBeCloseTo(sum, 10)
    }
  })
})
