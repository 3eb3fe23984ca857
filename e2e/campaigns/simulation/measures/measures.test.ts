import { anObservation } from '@touchstone402/server/testing'
import { seededRandom } from '@touchstone402/shared/testing'
import { describe, expect, test } from 'vitest'
import { checksNoAnswers } from '../../../contract/checksNoAnswers.ts'
import { allHosts } from '../hosts.ts'
import { createProbeTimes } from '../world/probeTimes.ts'
import type { Serve } from '../world/simulatedSeller.ts'
import type { Host, SellerResponse } from '../world/types.ts'
import { measureService, measureTruth, sampleService } from './accuracy.ts'
import { quantile } from './quantiles.ts'
import type { Sample, SamplesOf } from './sample.ts'
import { createBuyers } from './theft.ts'
import { theftByKind } from './theftByKind.ts'

checksNoAnswers('it measures verdicts that it makes up')

const DAY = 86_400_000
const THIEF = `0x${'ee'.repeat(20)}`
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const [first] = await allHosts(6)
if (first === undefined) throw new Error('the simulation has no host')
const thief: Host = {
  ...first,
  kind: 'thief',
  isHonest: false,
  paths: ['/api'],
  onlyPost: false,
  theft: [{ fromDay: 0, toDay: 10, payTo: THIEF }],
}
const ENDPOINT = `https://${thief.host}/api`

const SAFE: Sample = {
  day: 0,
  endpoint: ENDPOINT,
  expiresOnDay: 2,
  verdict: 'safe',
  score: 90,
  flags: [],
  riskLevel: 'clean',
  terms: [],
}
const TERM: Sample['terms'][number] = {
  x402Version: 1,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: USDC,
  payTo: THIEF,
  method: 'GET',
  amountAtomicMin: '1000',
  amountAtomicMax: '10000',
}

/** A seller that asks for a thief's receiver. */
const asksFor =
  (amount: string): Serve =>
  async (): Promise<SellerResponse> => ({
    status: 402,
    headers: {},
    body: JSON.stringify({
      x402Version: 1,
      accepts: [{ network: 'base', asset: USDC, payTo: THIEF, maxAmountRequired: amount }],
    }),
  })

/** A seller that is bought at for a day under one verdict. */
async function robbedIn(sample: Partial<Sample>, amount = '10000') {
  const buyers = createBuyers(asksFor(amount), createProbeTimes(), seededRandom(402))
  await buyers.comeUntil(thief, DAY, new Map([[ENDPOINT, { ...SAFE, ...sample }]]))
  return buyers.theftAt(thief)
}

describe('theft', () => {
  test('default: a day under Safe with the terms of the thief is about 24 hours of payable theft', async () => {
    const { shown, safe, payable } = await robbedIn({ terms: [TERM] })
    expect(shown).toBeGreaterThan(18)
    expect(shown).toBeLessThan(30)
    expect([safe, payable]).toEqual([shown, shown])
  })

  test.each<[string, Partial<Sample>, string, 'safe' | 'payable' | 'none']>([
    ['the signed terms name another receiver', { terms: [{ ...TERM, payTo: USDC }] }, '10000', 'safe'],
    ['the thief asks more than the signed terms', { terms: [TERM] }, '10001', 'safe'],
    ['the verdict is Caution', { verdict: 'caution', terms: [TERM] }, '10000', 'none'],
    ['the verdict has expired', { expiresOnDay: 0, terms: [TERM] }, '10000', 'none'],
    ['the terms are the thief’s', { terms: [TERM] }, '10000', 'payable'],
  ])('behavior: what buyers lose where %s', async (_, sample, amount, most) => {
    const { shown, safe, payable } = await robbedIn(sample, amount)
    expect(shown).toBeGreaterThan(0)
    expect(safe > 0).toBe(most !== 'none')
    expect(payable > 0).toBe(most === 'payable')
  })

  test('behavior: kinds are summed up by their median and their worst host', () => {
    const hosts = [1, 2, 3].map((number) => ({ ...thief, host: `t${number}` }))
    const theft = new Map([1, 2, 3].map((safe) => [`t${safe}`, { shown: 0, safe, payable: 0 }]))
    expect(theftByKind(hosts, theft, ({ safe }) => safe)).toEqual({ thief: { median: 2, p99: 3 } })
    expect(theftByKind(hosts, theft, ({ payable }) => payable)).toEqual({})
  })
})

describe('truth', () => {
  const honest = { ...first, faults: [], downtime: [] }
  const bad = { ...first, faults: [{ fromDay: 0, toDay: 99, verdict: 'avoid' as const, flags: [] }] }
  const daily =
    (verdict: Sample['verdict'], score: number): SamplesOf =>
    ({ host }) =>
      [0, 1, 2, 3, 4].map((day) => {
        const endpoint = `https://${host}/api`
        return { ...SAFE, endpoint, day, expiresOnDay: day + 2, verdict, score, terms: [TERM] }
      })

  test('default: false verdicts are counted beside what the scripts say', () => {
    expect(measureTruth([honest], daily('avoid', 20), 5)).toMatchObject({
      falseAvoidPct: 100,
      coveragePct: 100,
      heldPct: 100,
    })
    expect(measureTruth([bad], daily('safe', 90), 5)).toMatchObject({
      falseSafePct: 100,
      falseAvoidPct: null,
      heldPct: 0,
    })
  })

  test('behavior: bands that tell honest from bad have more skill than bands that do not', () => {
    const hosts = [honest, { ...bad, host: 'bad.test' }]
    const right: SamplesOf = (host) =>
      host.host === 'bad.test' ? daily('avoid', 20)(host) : daily('safe', 90)(host)
    expect(measureTruth(hosts, right, 5).brierSkill).toBeGreaterThan(0.5)
    expect(measureTruth(hosts, daily('safe', 90), 5).brierSkill).toBeLessThanOrEqual(0)
  })

  test('behavior: a verdict that expired is none', () => {
    expect(measureTruth([honest], () => [{ ...SAFE, expiresOnDay: 1 }], 5).coveragePct).toBe(25)
  })

  test('behavior: the service counts a thief that no probe saw as held, and one that a probe saw as false', async () => {
    const measureBy = async (payTo: string) => {
      const samples = await sampleService([bad], daily('safe', 90), 5, async (endpoint, from) => {
        const { network, asset, scheme } = TERM
        const offers = anObservation().offers.map((offer) => ({ ...offer, network, asset, scheme, payTo }))
        return [anObservation({ endpoint, at: from, offers })]
      })
      return measureService(samples)
    }
    expect(await measureBy(THIEF)).toMatchObject({ falseSafePct: 0, heldPct: 100 })
    expect(await measureBy(USDC)).toMatchObject({ falseSafePct: 100, heldPct: 0 })
  })
})

test('default: a quantile is the nearest value, and what never happened comes last', () => {
  const values = [3, 1, Number.POSITIVE_INFINITY, 2]
  expect([0.25, 0.5, 0.9].map((share) => quantile(values, share))).toEqual([1, 2, Number.POSITIVE_INFINITY])
})
