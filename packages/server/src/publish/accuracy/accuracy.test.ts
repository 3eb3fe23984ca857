import type { AccuracyCounts } from '@touchstone402/shared'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR, toDate } from '../../facts/times.ts'
import { collectTerms } from '../../judge/offers.ts'
import { A, B, down, offer, POLYGON, POLYGON_USDC, T0, up } from '../../judge/testing/facts.ts'
import { describeAccuracy } from './figures.ts'
import { type AccuracySample, measureAccuracy } from './measureAccuracy.ts'
import { observeOutcome } from './outcome.ts'
import { wilson } from './wilson.ts'

const SAMPLE: AccuracySample = {
  at: T0,
  endpoint: 'https://a.example/a',
  verdict: 'safe',
  band: 'excellent',
  live: true,
  sameTerms: true,
  delivered: null,
  avoidAfter: false,
}
const sample = (changes: Partial<AccuracySample>): AccuracySample => ({ ...SAMPLE, ...changes })
const groupsOf = (samples: readonly AccuracySample[]) => measureAccuracy(samples, 1).groups

/** Counts of one band on a day, one endpoint a domain. */
const counts = (band: 'excellent' | 'fair', held: number, measured: number): AccuracyCounts => ({
  verdict: 'safe',
  band,
  endpoints: measured,
  domains: measured,
  measured,
  live: held,
  sameTerms: held,
  held,
  avoidAfter: 0,
  domainsMeasured: measured,
  domainsHeld: held,
})
const days = (count: number, groups: readonly AccuracyCounts[]) =>
  Array.from({ length: count }, (_, day) => ({ date: toDate(T0 + day * DAY), groups }))

describe('samples', () => {
  test('default: share, interval and coverage by verdict and band', () => {
    const samples = [
      ...Array.from({ length: 9 }, (_, n) => sample({ endpoint: `https://s${n}.example/a` })),
      sample({ endpoint: 'https://bad.example/a', sameTerms: false, avoidAfter: true }),
      sample({
        endpoint: 'https://x.example/a',
        verdict: 'unknown',
        band: null,
        live: null,
        sameTerms: null,
      }),
    ]
    const figures = measureAccuracy(samples, 1)
    expect(figures).toMatchObject({
      afterDays: 1,
      from: '2026-06-01',
      days: 1,
      coveragePct: 90.91,
      heldPct: 90,
    })
    expect(figures.groups).toMatchObject([
      {
        verdict: 'safe',
        band: 'excellent',
        count: 10,
        heldPct: 90,
        lowPct: 59.58,
        highPct: 98.21,
        avoidAfterPct: 10,
      },
      { verdict: 'unknown', band: null, count: 1, heldPct: null, lowPct: null },
    ])
  })

  test('behavior: one verdict that is probed many times counts once a day', () => {
    const many = Array.from({ length: 24 }, (_, hour) => sample({ at: T0 + hour * HOUR, delivered: true }))
    expect(groupsOf(many)).toMatchObject([{ count: 1, domains: 1, bought: 1, delivered: 1 }])
  })

  test('behavior: the same endpoints on thirty days do not narrow the interval', () => {
    const oneDay = Array.from({ length: 10 }, (_, n) => sample({ endpoint: `https://s${n}.example/a` }))
    const month = Array.from({ length: 30 }, (_, day) =>
      oneDay.map((one) => ({ ...one, at: T0 + day * DAY })),
    )
    const [first, last] = [groupsOf(oneDay)[0], groupsOf(month.flat())[0]]
    expect([last?.lowPct, last?.highPct]).toEqual([first?.lowPct, first?.highPct])
    expect(last?.count).toBe(300)
  })

  test('behavior: a seller with many endpoints, or many free names of a platform, does not dilute a band', () => {
    const thieves = Array.from({ length: 5 }, (_, n) =>
      sample({ endpoint: `https://thief${n}.example/a`, sameTerms: false }),
    )
    const before = groupsOf([sample({}), ...thieves])[0]
    expect(before?.heldPct).toBe(16.67)
    const paths = Array.from({ length: 500 }, (_, n) => sample({ endpoint: `https://thief.example/${n}` }))
    const tenants = Array.from({ length: 500 }, (_, n) => sample({ endpoint: `https://t${n}.vercel.app/a` }))
    const after = groupsOf([sample({}), ...thieves, ...paths, ...tenants])[0]
    expect(after).toMatchObject({ heldPct: 37.5, domains: 8, endpointsHeldPct: 99.5 })
  })

  test('behavior: an honest seller beside a dark path of its own counts by the share of its endpoints', () => {
    const paths = Array.from({ length: 4 }, (_, n) =>
      sample({ endpoint: `https://a.example/${n}`, live: n > 0 }),
    )
    expect(groupsOf(paths)).toMatchObject([{ heldPct: 75, domains: 1 }])
  })
})

describe('outcome', () => {
  const terms = collectTerms([up(T0)])
  const outcome = (...probes: ReturnType<typeof up>[]) => observeOutcome(terms, probes)

  test('default: live and the same terms', () => {
    expect(outcome(up(T0 + 1), up(T0 + 2))).toEqual({ live: true, sameTerms: true })
    expect(outcome()).toEqual({ live: null, sameTerms: null })
  })

  test('behavior: one probe of any purpose with another receiver or a higher price breaks the terms', () => {
    expect(outcome(up(T0 + 1), up(T0 + 2, { payTo: B, purpose: 'live' }))).toMatchObject({ sameTerms: false })
    expect(outcome(up(T0 + 1, { amount: '10001', purpose: 'confirm' }))).toMatchObject({ sameTerms: false })
    expect(outcome(up(T0 + 1, { payTo: B, purpose: 'control' }), up(T0 + 2))).toMatchObject({
      sameTerms: true,
    })
  })

  test('behavior: another chain to the same receiver keeps the terms, to another receiver it does not', () => {
    const polygon = { network: POLYGON, asset: POLYGON_USDC }
    const both = (payTo: string) => up(T0 + 1, { offers: [offer(), offer({ ...polygon, payTo })] })
    expect(outcome(both(A))).toMatchObject({ sameTerms: true })
    expect(outcome(both(B))).toMatchObject({ sameTerms: false })
    const solana = { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', asset: 'EPjF', payTo: 'So1' }
    expect(outcome(up(T0 + 1, { offers: [offer(), offer(solana)] }))).toMatchObject({ sameTerms: true })
  })

  test('behavior: the name of a network in version 1 is the same network', () => {
    expect(outcome(up(T0 + 1, { offers: [offer({ network: 'base' })] }))).toMatchObject({ sameTerms: true })
  })

  test('behavior: one failure of a day is no outage, and failures that we caused are none', () => {
    const eight = Array.from({ length: 7 }, (_, n) => up(T0 + n))
    expect(outcome(...eight, down(T0 + 8))).toMatchObject({ live: true })
    expect(outcome(...eight, down(T0 + 8), down(T0 + 9))).toMatchObject({ live: false })
    const confirming = [1, 2, 3].map((n) => down(T0 + 20 + n, { purpose: 'confirm' }))
    expect(outcome(...eight, down(T0 + 8), ...confirming)).toMatchObject({ live: true })
    const own = up(T0 + 1, { outcome: 'not_measured', cause: 'own_fault', offers: [] })
    expect(outcome(own)).toEqual({ live: null, sameTerms: null })
  })
})

describe('skill', () => {
  const good = [counts('excellent', 10, 10), counts('fair', 0, 10)]

  test('default: bands that tell the outcomes apart have skill, equal ones have none', () => {
    expect(describeAccuracy(1, days(20, good), [])).toMatchObject({
      brier: 0,
      brierOfBaseRate: 0.25,
      skill: 1,
    })
    const even = [counts('excellent', 5, 10), counts('fair', 5, 10)]
    expect(describeAccuracy(1, days(20, even), [])).toMatchObject({ skill: 0 })
  })

  test('behavior: a forecast rests on outcomes that were known when the verdict stood', () => {
    // Over 7 days the outcomes of 20 days are known for the last 13 alone.
    const turned = [
      ...days(10, good),
      ...days(20, [counts('excellent', 0, 10), counts('fair', 10, 10)]).slice(10),
    ]
    const { skill } = describeAccuracy(7, turned, [])
    expect(skill).toBeLessThan(0)
    expect(describeAccuracy(30, days(20, good), [])).toMatchObject({ brier: null, skill: null })
  })

  test('behavior: verdicts that all held have no skill to show, since the base rate is perfect', () => {
    expect(describeAccuracy(1, days(20, [counts('excellent', 10, 10)]), [])).toMatchObject({
      heldPct: 100,
      skill: null,
    })
  })

  test('behavior: unknown verdicts forecast nothing', () => {
    const unknown = { ...counts('fair', 0, 10), verdict: 'unknown' as const, band: null }
    const { skill, coveragePct, heldPct } = describeAccuracy(1, days(20, [...good, unknown]), [])
    expect({ skill, coveragePct, heldPct }).toEqual({ skill: 1, coveragePct: 66.67, heldPct: 50 })
  })
})

test('behavior: an interval holds its share and stays within 0 and 1', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0.1, max: 1e6, noNaN: true }),
      (share, count) => {
        const { low, high } = wilson(share, count)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        expect(low - 1e-9).toBeLessThanOrEqual(share)
        expect(high + 1e-9).toBeGreaterThanOrEqual(share)
      },
    ),
  )
})
