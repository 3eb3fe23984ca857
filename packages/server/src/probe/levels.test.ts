import { encodeBase64Json } from '@touchstone402/shared'
import { fuzzRuns } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReceiverRecord } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { ENDPOINT, HOST, judge, listing, record, series, T0, up } from '../judge/testing/facts.ts'
import { classifyAnswer } from './classifyAnswer.ts'
import { observeChallenge } from './describeProbe.ts'
import { RECEIVER, USDC } from './testing/harness.ts'

/** Differences between valid sellers in the field. */
type Seller = {
  versions: 'v1' | 'v2' | 'both'
  method: 'GET' | 'POST'
  declaresInput: boolean
  declaresOutput: boolean
  hasSolana: boolean
  hasTiers: boolean
  resource: string
  amount: number
  upto: boolean
}

const schemaOf = ({ method, declaresInput, declaresOutput }: Seller) => ({
  ...(declaresInput ? { input: { type: 'http', method, queryParams: { city: 'Lisbon' } } } : {}),
  ...(declaresOutput ? { output: { type: 'json', example: { ok: true } } } : {}),
})

function acceptsOf(seller: Seller, version: 1 | 2) {
  const { amount, hasSolana, hasTiers, upto, resource, method } = seller
  const entry = (network: string, asset: string, payTo: string, asked: number, scheme = 'exact') => ({
    scheme,
    network,
    asset,
    payTo,
    maxTimeoutSeconds: 300,
    extra: network.startsWith('solana')
      ? { feePayer: 'CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5' }
      : { name: 'USD Coin', version: '2' },
    ...(version === 2
      ? { amount: `${asked}` }
      : {
          maxAmountRequired: `${asked}`,
          resource,
          description: 'Weather by city',
          mimeType: 'application/json',
          outputSchema: { input: { type: 'http', method }, ...schemaOf(seller) },
        }),
  })
  const base = version === 2 ? 'eip155:8453' : 'base'
  const solana = version === 2 ? 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' : 'solana'
  return [
    ...(hasSolana
      ? [
          entry(
            solana,
            'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
            '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
            amount,
          ),
        ]
      : []),
    entry(base, USDC, RECEIVER, amount),
    ...(hasTiers ? [entry(base, USDC, RECEIVER, 2 * amount), entry(base, USDC, RECEIVER, 0)] : []),
    ...(upto ? [entry(base, USDC, RECEIVER, 5 * amount, 'upto')] : []),
  ]
}

/** The challenge as it is sent: v2 in the header, v1 in the body. */
function answerOf(seller: Seller): { header: string | null; body: string | null } {
  const v2 = {
    x402Version: 2,
    error: 'PAYMENT-SIGNATURE header is required',
    resource: { url: seller.resource, description: 'Weather by city', mimeType: 'application/json' },
    accepts: acceptsOf(seller, 2),
    extensions: { bazaar: { info: schemaOf(seller), schema: {} } },
  }
  const v1 = { x402Version: 1, error: 'X-PAYMENT header is required', accepts: acceptsOf(seller, 1) }
  return {
    header: seller.versions === 'v1' ? null : encodeBase64Json(v2),
    body: seller.versions === 'v2' ? '{}' : JSON.stringify(v1),
  }
}

function probeOf(seller: Seller) {
  const { challenge, signable, outcome, cause } = classifyAnswer({
    status: 402,
    ...answerOf(seller),
    isTooLarge: false,
    isBotFilter: false,
    declaresInput: false,
  })
  const seen = { outcome, cause, method: seller.method, ...observeChallenge(challenge, signable) }
  return (at: number, client: string) => up(at, { client, ...seen })
}

const anySeller: fc.Arbitrary<Seller> = fc
  .record({
    versions: fc.constantFrom('v1' as const, 'v2' as const, 'both' as const),
    method: fc.constantFrom('GET' as const, 'POST' as const),
    declaresInput: fc.boolean(),
    declaresOutput: fc.boolean(),
    hasSolana: fc.boolean(),
    hasTiers: fc.boolean(),
    // Behind a proxy that ends TLS, with a query, or relative.
    resource: fc.constantFrom(ENDPOINT, `${ENDPOINT}?city=Lisbon`, `http://${HOST}/a`, '/a'),
    amount: fc.integer({ min: 1, max: 40_000 }),
    upto: fc.boolean(),
  })
  // A body that is needed is declared.
  .map((seller) => ({ ...seller, declaresInput: seller.declaresInput || seller.method === 'POST' }))

/** The observed levels: whether the receiver is stable, its history on chain, and the score. */
const LEVELS = [
  ['stable', 'established', 95],
  ['stable', 'blank', 90],
  ['stable', 'dormant', 86],
  ['new', 'blank', 75],
] as const

function judgeSeller(
  seller: Seller,
  [stability, category]: (typeof LEVELS)[number],
  more: Parameters<typeof judge>[1] = {},
) {
  const probes = stability === 'new' ? [up(T0 + 2 * DAY)] : series(T0, 20, 3 * HOUR)
  const probe = probeOf(seller)
  const now = T0 + 3 * DAY
  const known: ReceiverRecord[] = [record(now - HOUR, { address: RECEIVER, category })]
  return judge(
    probes.map(({ at, client }) => probe(at + DAY / 2, client)),
    { listings: [], recordsOf: () => known, now, ...more },
  ).state
}

describe('observed levels', () => {
  const plain: Seller = {
    versions: 'v2',
    method: 'GET',
    declaresInput: true,
    declaresOutput: true,
    hasSolana: false,
    hasTiers: false,
    resource: ENDPOINT,
    amount: 10_000,
    upto: false,
  }

  test('default', () => {
    for (const versions of ['v1', 'v2', 'both'] as const) {
      for (const level of LEVELS) {
        const state = judgeSeller({ ...plain, versions }, level)
        expect(state).toMatchObject({ score: level[2], verdict: 'safe', flags: [], riskLevel: 'clean' })
      }
    }
  })

  test('behavior: a valid seller without faults scores its level exactly, and above it by proof alone', () => {
    const purchase = {
      kind: 'purchase',
      id: 'p1',
      at: T0 + 2 * DAY,
      endpoint: ENDPOINT,
      host: HOST,
      network: 'eip155:8453',
      payTo: RECEIVER,
      amountAtomic: '10000',
      settled: true,
      delivered: true,
      txHash: null,
    } as const
    const claims = { ...listing(T0).claims, payTo: RECEIVER, amountAtomic: null, priceUsd: null }
    fc.assert(
      fc.property(anySeller, fc.constantFrom(...LEVELS), fc.boolean(), (seller, level, isListed) => {
        const listings = isListed ? [listing(T0, { claims })] : []
        const state = judgeSeller(seller, level, { listings })
        expect(state.score).toBe(level[2])
        expect(state.verdict).toBe('safe')
        const proven = judgeSeller(seller, level, { listings, purchases: [purchase] })
        expect(proven.score).toBe(level[2] + 3)
      }),
      { numRuns: fuzzRuns(0.5) },
    )
  })

  test('behavior: each fault costs its points', () => {
    const [, level] = LEVELS
    const scoreOf = (changes: Partial<Seller>) => judgeSeller({ ...plain, ...changes }, level).score
    expect(scoreOf({ resource: 'https://other.example/a' })).toBe(87)
    expect(scoreOf({ resource: 'http://localhost:3000/a' })).toBe(87)
    expect(scoreOf({ method: 'POST', declaresInput: false })).toBe(89)
    const { header } = answerOf(plain)
    const misplaced = { header: null, body: Buffer.from(header ?? '', 'base64').toString() }
    const facts = { status: 402, isTooLarge: false, isBotFilter: false, declaresInput: false, ...misplaced }
    const { challenge, signable } = classifyAnswer(facts)
    const seen = observeChallenge(challenge, signable)
    expect(judge(series(T0, 20, 3 * HOUR, (at, client) => up(at, { client, ...seen }))).state.score).toBe(88)
  })
})
