import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Listing } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { baitLimits, differsLimits, findDearer } from './bait.ts'
import {
  askedUsd,
  claimedUsd,
  findPriceJumps,
  hasDrift,
  isCategory,
  isHigh,
  median,
  splitPrices,
} from './prices.ts'
import { address, listing, offer, POLYGON, POLYGON_USDC, series, T0, up } from './testing/facts.ts'

const at = (amounts: readonly number[]) =>
  amounts.map((amount, index) => up(T0 + index * HOUR, { amount: `${amount}` }))

describe('findPriceJumps', () => {
  test('default', () => {
    const [jump, ...others] = findPriceJumps(at([10000, 10000, 10000, 30000, 30000, 30000]))
    expect(others).toEqual([])
    expect(jump).toMatchObject({ at: T0 + 3 * HOUR, beforeUsd: 0.01, afterUsd: 0.03 })
  })

  test('behavior: ignores single probes, rises up to a cent or 20 %, and decreases', () => {
    expect(findPriceJumps(at([10000, 10000, 30000, 10000, 10000]))).toEqual([])
    expect(findPriceJumps(at([1000, 1000, 11000, 11000]))).toEqual([])
    expect(findPriceJumps(at([1_000_000, 1_000_000, 1_200_000, 1_200_000]))).toEqual([])
    expect(findPriceJumps(at([30000, 30000, 10000, 10000]))).toEqual([])
  })

  test('behavior: counts each step of a staircase once', () => {
    expect(findPriceJumps(at([10000, 10000, 30000, 30000, 30000, 90000, 90000, 90000]))).toHaveLength(2)
  })
})

const findBait = (probes: Parameters<typeof findDearer>[0], listings: Listing[], isDynamic: boolean) =>
  findDearer(probes, listings, baitLimits(isDynamic))

describe('findDearer', () => {
  const dear = series(T0, 10, 3 * HOUR, (time, client) => up(time, { client, amount: '40000' }))
  /** The document as it is read every twelve hours. */
  const readings = (count: number, changes: Parameters<typeof listing>[1] = {}) =>
    Array.from({ length: count }, (_, index) => T0 + index * 12 * HOUR).map((time) =>
      listing(time, { claimedAt: time, ...changes }),
    )
  const refreshed = readings(2)

  test('default', () => {
    expect(findBait(dear, refreshed, false)).toMatchObject({ claimUsd: 0.01, askedUsd: 0.04 })
  })

  test('behavior: ignores stale claims, third parties, matching claims, and less than a day', () => {
    expect(findBait(dear, [listing(T0, { claimedAt: T0 - 1 })], false)).toBeNull()
    expect(findBait(dear, readings(2, { ownClaim: false }), false)).toBeNull()
    const claims = { ...listing(T0).claims, priceUsd: 0.035 }
    expect(findBait(dear, readings(2, { claims }), false)).toBeNull()
    expect(findBait(dear.slice(0, 8), refreshed, false)).toBeNull()
    expect(findBait(dear.slice(0, 9), refreshed, false)).not.toBeNull()
  })

  test('rule 16, honest: a price that changes with its document is no bait, before it is read and after', () => {
    const claimed = (time: number, amount: string, priceUsd: number) =>
      listing(time, { claimedAt: time, claims: { ...listing(T0).claims, amountAtomic: amount, priceUsd } })
    const change = T0 + 3 * DAY
    for (const [before, after] of [
      ['10000', '90000'],
      ['90000', '10000'],
    ] as const) {
      const asked = series(T0, 48, 3 * HOUR, (time) => up(time, { amount: time < change ? before : after }))
      const read = [0, 1, 2, 3, 4, 5].map((day) => {
        const amount = day <= 2 ? before : after
        return claimed(T0 + day * DAY + HOUR, amount, Number(amount) / 1e6)
      })
      for (let count = 1; count <= asked.length; count++) {
        const seen = asked.slice(0, count)
        const known = read.filter(({ at }) => at <= (seen.at(-1)?.at ?? 0))
        expect(findBait(seen, known, false), `${before} ${count}`).toBeNull()
        expect(findDearer(seen, known, differsLimits(false)), `${before} ${count}`).toBeNull()
      }
    }
  })

  test('rule 16, abuse: a document that is read each day, or no longer, says less than is asked all the same', () => {
    const asked = series(T0, 80, 3 * HOUR, (time) => up(time, { amount: '90000' }))
    for (const days of [10, 3])
      for (let count = 10; count <= asked.length; count++) {
        const seen = asked.slice(0, count)
        const known = readings(2 * days).filter(({ at }) => at <= (seen.at(-1)?.at ?? 0))
        expect(findBait(seen, known, false), `${days} ${count}`).not.toBeNull()
      }
  })

  test.each([
    [false, 3],
    [false, 30],
    [true, 3],
    [true, 5],
    [true, 30],
  ])(
    'rule 16, abuse: prices that change per request (%s), at drawn gaps of %d hours, stay bait',
    (isDynamic, hours) => {
      const asked = series(T0, 40, hours * HOUR, (time) => up(time, { amount: `${40000 + (time % 7)}` }))
      for (let count = 25; count <= asked.length; count++) {
        const seen = asked.slice(0, count)
        const known = readings(120).filter(({ at }) => at <= (seen.at(-1)?.at ?? 0))
        expect(findBait(seen, known, isDynamic), `${count}`).not.toBeNull()
      }
    },
  )

  test('behavior: of several tiers the lowest is compared with the claim', () => {
    const tiers = (...amounts: string[]) =>
      series(T0, 10, 3 * HOUR, (time, client) =>
        up(time, { client, offers: amounts.map((amountAtomic) => offer({ amountAtomic })) }),
      )
    expect(findBait(tiers('100000', '10000'), refreshed, false)).toBeNull()
    // A free trial is no tier that a claim of a price could be about.
    expect(findBait(tiers('0', '40000', '100000'), refreshed, false)).toMatchObject({ askedUsd: 0.04 })
  })

  test('behavior: abuse: a price that wobbles, or one honest answer after each reading, is bait all the same', () => {
    const wobble = series(T0, 14, 3 * HOUR, (time, client) =>
      up(time, { client, amount: client === 'agent' ? '740000' : '900000' }),
    )
    expect(findBait(wobble, refreshed, false)).not.toBeNull()
    const broken = series(T0, 14, 3 * HOUR, (time) =>
      up(time, { amount: (time / HOUR) % 12 === 0 ? '10000' : '900000' }),
    )
    expect(findBait(broken, refreshed, false)).not.toBeNull()
  })

  test('behavior: small steps count as one price', () => {
    const steps = dear.map((probe, index) => up(probe.at, { amount: `${40000 + 500 * (index % 5)}` }))
    expect(findBait(steps, refreshed, true)).toBeNull()
    const many = series(T0, 25, HOUR, (time) => up(time, { amount: `${40000 + (time % 7)}` }))
    expect(findBait(many, refreshed, true)).not.toBeNull()
  })

  test('behavior: score 1.3.0, rule 16: up to three times the claim, a price differs and is no bait', () => {
    const twice = series(T0, 10, 3 * HOUR, (time, client) => up(time, { client, amount: '20000' }))
    expect(findBait(twice, refreshed, false)).toBeNull()
    expect(findDearer(twice, refreshed, differsLimits(false))).toMatchObject({ askedUsd: 0.02 })
    // Two probes are enough, and prices within 20 % are equal.
    expect(findDearer(twice.slice(0, 1), refreshed, differsLimits(false))).toBeNull()
    const near = series(T0, 10, 3 * HOUR, (time) => up(time, { amount: '12000' }))
    expect(findDearer(near, refreshed, differsLimits(false))).toBeNull()
  })

  test('behavior: random prices are not bait', () => {
    const lots = series(T0, 60, HOUR, (time) => up(time, { amount: `${10000 + 5000 * ((time / HOUR) % 4)}` }))
    expect(findBait(lots, refreshed, true)).toBeNull()
  })
})

describe('prices', () => {
  test('behavior: the highest tier is the price, in any order; a free offer is none', () => {
    const tiers = ['0', '10000', '50000', '20000'].map((amountAtomic) => offer({ amountAtomic }))
    const orders = fc.shuffledSubarray(tiers, { minLength: tiers.length })
    fc.assert(fc.property(orders, (offers) => askedUsd(up(T0, { offers })) === 0.05))
    const free = up(T0, { amount: '0' })
    expect(askedUsd(free)).toBeNull()
    expect(splitPrices([free])).toMatchObject([{ amountAtomic: '0', priceUsd: null }])
    // A free trial before a price is no jump, and a listing of nothing no claim.
    expect(findPriceJumps(at([0, 0, 0, 50000, 50000]))).toEqual([])
    const claims = { ...listing(T0).claims, amountAtomic: '0', priceUsd: 0 }
    expect(claimedUsd(listing(T0, { claims }))).toBeNull()
  })

  test('behavior: a free offer elsewhere does not hide a price', () => {
    const offers = [
      offer({ amountAtomic: '0' }),
      offer({ network: POLYGON, asset: POLYGON_USDC, amountAtomic: '30000' }),
    ]
    expect(askedUsd(up(T0, { offers }))).toBe(0.03)
  })

  test('behavior: drift is a difference of more than 1 % from the claim', () => {
    const price = askedUsd(up(T0))
    const claiming = (priceUsd: number) => [listing(T0, { claims: { ...listing(T0).claims, priceUsd } })]
    expect(hasDrift(price, claiming(0.01))).toBe(false)
    expect(hasDrift(price, claiming(0.00995))).toBe(false)
    expect(hasDrift(price, claiming(0.008))).toBe(true)
    expect(hasDrift(price, claiming(0.02))).toBe(true)
  })

  test('behavior: high is 10 times the median and above $0.10, or above $1 with few comparable endpoints', () => {
    expect(isHigh(0.51, { medianUsd: 0.05, count: 5 })).toBe(true)
    expect(isHigh(0.5, { medianUsd: 0.05, count: 5 })).toBe(false)
    expect(isHigh(0.09, { medianUsd: 0.001, count: 50 })).toBe(false)
    expect(isHigh(0.9, { medianUsd: 0.001, count: 4 })).toBe(false)
    expect(isHigh(1.01, undefined)).toBe(true)
  })

  test('behavior: without a category, high is above $1 and 10 times the median of everything listed', () => {
    const whole = (medianUsd: number, count = 50) => ({ medianUsd, count, isWhole: true })
    expect(isHigh(0.9, whole(0.01))).toBe(false)
    expect(isHigh(1.01, whole(0.01))).toBe(true)
    expect(isHigh(1.01, whole(0.2))).toBe(false)
    expect(isHigh(1.01, whole(0.2, 4))).toBe(true)
  })

  test.each(['uncategorized', 'Uncategorised', 'Other', 'misc', 'general', 'none', 'UNKNOWN', ' ', null])(
    'behavior: %o is no category',
    (name) => expect(isCategory(name)).toBe(false),
  )

  test.each(['data', 'other data', 'generalist', 'finance'])('behavior: %o is a category', (name) =>
    expect(isCategory(name)).toBe(true),
  )

  test('behavior: an unknown asset has no price in dollars', () => {
    const probes = [up(T0, { offers: [offer({ asset: address('e') })] })]
    expect(splitPrices(probes)).toMatchObject([{ amountAtomic: '10000', priceUsd: null }])
    expect(findPriceJumps(probes)).toEqual([])
  })

  test('behavior: a price follows the decimals of the network', () => {
    const asset = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'
    const offers = [offer({ network: 'stellar:pubnet', asset, amountAtomic: '500000' })]
    expect(askedUsd(up(T0, { offers }))).toBe(0.05)
  })

  test('behavior: consecutive probes at one price are one period', () => {
    const probes = [...series(T0, 3, HOUR), up(T0 + DAY, { amount: '20000' }), up(T0 + 2 * DAY)]
    expect(splitPrices(probes).map(({ from }) => Date.parse(from))).toEqual([T0, T0 + DAY, T0 + 2 * DAY])
  })

  test('behavior: the median lies in the middle', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), (values) => {
        const middle = median(values)
        const half = values.length / 2
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(half)
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(half)
      }),
    )
  })
})
