import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import {
  A,
  address,
  B,
  C,
  down,
  ENDPOINT,
  judge,
  listing,
  offer,
  POLYGON,
  POLYGON_USDC,
  record,
  SEPOLIA,
  SEPOLIA_USDC,
  series,
  T0,
  USDC,
  up,
} from './testing/facts.ts'
import { history, stable, swapAt, swapped } from './testing/swap.ts'

const flagsOf = (...args: Parameters<typeof judge>) => judge(...args).state.flags

describe('judgeEndpoint: observed combinations', () => {
  test('default', () => {
    const { state } = judge(stable(), { recordsOf: () => [record(T0 + DAY, { category: 'established' })] })
    expect(state).toMatchObject({
      status: 'live',
      verdict: 'safe',
      riskLevel: 'clean',
      flags: [],
      receiverStability: 'stable',
      receiverProfile: 'established',
      score: 95,
    })
  })

  test('behavior: safe goes with clean or low, stable or new', () => {
    const wildcard = { control: up(T0, { purpose: 'control' }) }
    expect(judge(stable(), wildcard).state).toMatchObject({
      verdict: 'safe',
      riskLevel: 'low',
      flags: ['unverifiable'],
    })
    expect(judge([up(T0)]).state).toMatchObject({
      verdict: 'safe',
      receiverStability: 'new',
      riskLevel: 'clean',
    })
  })

  test('behavior: caution goes with price_high, alone or with unverifiable', () => {
    const dear = stable((at, client) => up(at, { client, amount: '2000000' }))
    expect(judge(dear).state).toMatchObject({
      verdict: 'caution',
      riskLevel: 'medium',
      flags: ['price_high', 'unproven'],
    })
    expect(judge(dear, { control: up(T0, { purpose: 'control' }) }).state).toMatchObject({
      verdict: 'caution',
      flags: ['price_high', 'unproven', 'unverifiable'],
    })
  })

  test('behavior: avoid goes with network_testnet on Base Sepolia with a stable receiver', () => {
    const offers = [offer({ network: SEPOLIA, asset: SEPOLIA_USDC })]
    expect(judge(stable((at, client) => up(at, { client, offers }))).state).toMatchObject({
      verdict: 'avoid',
      riskLevel: 'high',
      flags: ['network_testnet'],
      receiverStability: 'stable',
      network: SEPOLIA,
    })
  })
})

describe('judgeEndpoint: flags', () => {
  const with2 = (changes: Parameters<typeof up>[1]) => stable((at, client) => up(at, { client, ...changes }))

  test('default', () => {
    expect(flagsOf(with2({ offers: [offer({ asset: C })] }))).toEqual(['asset_unknown', 'price_unknown'])
    expect(flagsOf(with2({ offers: [offer({ unsafeFlow: 'permit2' })] }))).toEqual(['scheme_unsafe'])
    expect(flagsOf(with2({ offers: [offer({ scheme: 'upto' })] }))).toEqual(['payment_unsupported'])
    expect(flagsOf(with2({ resourceOrigin: 'https://bank.example' }))).toEqual(['resource_mismatch'])
    expect(flagsOf(with2({ problems: ['protocols_disagree'] }))).toEqual(['protocols_disagree'])
    expect(flagsOf(with2({ payTo: address('0') }))).toEqual(['receiver_unverified'])
    expect(flagsOf(with2({ payTo: USDC }))).toEqual(['receiver_unverified'])
    expect(flagsOf(with2({ offers: [offer({ network: POLYGON, asset: POLYGON_USDC })] }))).toEqual([
      'unverifiable',
    ])
  })

  test('behavior: raises unverifiable if the response is not described', () => {
    const silent = with2({ declaresOutput: false })
    expect(judge(silent).state).toMatchObject({
      verdict: 'safe',
      riskLevel: 'low',
      flags: ['unverifiable'],
      reasons: [{ code: 'unverifiable', evidence: silent.slice(-2).map(({ id }) => id) }],
    })
    // One declaring probe or listing is enough.
    expect(flagsOf([...silent.slice(0, -1), ...with2({}).slice(-1)])).toEqual([])
    expect(flagsOf(silent, { listings: [listing(T0, { declaresOutput: false })] })).toEqual(['unverifiable'])
    expect(flagsOf(silent, { listings: [listing(T0)] })).toEqual([])
  })

  test('behavior: ignores unusual offers beside an acceptable one', () => {
    const beside = [
      offer(),
      offer({ network: SEPOLIA, asset: SEPOLIA_USDC }),
      offer({ scheme: 'upto', payTo: B }),
    ]
    expect(flagsOf(with2({ offers: beside }))).toEqual([])
  })

  test('behavior: a host of the same site as resource raises nothing, a private name only a low flag', () => {
    for (const resourceOrigin of ['https://www.api.example', 'http://api.example']) {
      expect(flagsOf(with2({ resourceOrigin }))).toEqual([])
    }
    expect(judge(with2({ resourceOrigin: 'http://localhost:3000' })).state).toMatchObject({
      verdict: 'safe',
      riskLevel: 'low',
      flags: ['unverifiable'],
    })
  })

  test('behavior: names the other host of the site that challenges name as their resource', () => {
    const { state } = judge(with2({ resourceOrigin: 'https://www.api.example' }))
    expect(state.resourceHosts).toEqual(['www.api.example'])
    expect(judge(with2({ resourceOrigin: 'https://bank.example' })).state.resourceHosts).toBeUndefined()
  })

  test('behavior: a free offer hides nothing beside it, and alone is judged as it is', () => {
    const free = offer({ amountAtomic: '0' })
    const stateOf = (...offers: (typeof free)[]) => judge(with2({ offers })).state
    const dear = { amountAtomic: '900000000' }
    expect(stateOf(free, offer({ asset: C, ...dear })).flags).toEqual(['asset_unknown', 'price_unknown'])
    expect(stateOf(free, offer({ unsafeFlow: 'permit2', ...dear })).flags).toContain('scheme_unsafe')
    expect(stateOf(free, offer({ network: SEPOLIA, asset: SEPOLIA_USDC })).flags).toEqual(['network_testnet'])
    expect(stateOf(free, offer({ network: 'eip155:987654321' })).verdict).toBe('unknown')
    expect(stateOf(free, offer({ unpayable: 'method', ...dear }))).toMatchObject({
      flags: ['payment_unsupported', 'price_high', 'unproven'],
      priceUsd: 900,
    })
    expect(stateOf(free)).toMatchObject({ verdict: 'safe', flags: [], priceUsd: null })
    expect(stateOf(free, offer())).toMatchObject({ verdict: 'safe', flags: [], priceUsd: 0.01 })
    // Receivers of a free trial get nothing.
    expect(stateOf({ ...free, payTo: address('0') }, offer()).flags).toEqual([])
  })

  test('behavior: a listing of the lowest tier is no bait, and does not hide the highest', () => {
    const judged = (amountAtomic: string) =>
      judge(with2({ offers: [offer(), offer({ amountAtomic })] }), { listings: [listing(T0 + DAY)] })
    expect(judged('100000').state).toMatchObject({ verdict: 'safe', flags: ['price_drift'], priceUsd: 0.1 })
    expect(judged('100000').incidents).toEqual([])
    expect(judged('900000000').state).toMatchObject({
      verdict: 'caution',
      flags: ['price_drift', 'price_high', 'unproven'],
    })
  })

  test('behavior: a price is high on any network whose terms are signed', () => {
    const polygon = offer({ network: POLYGON, asset: POLYGON_USDC, amountAtomic: '900000000' })
    expect(judge(with2({ offers: [offer(), polygon] })).state).toMatchObject({
      verdict: 'caution',
      flags: ['price_high', 'unproven'],
      priceUsd: 0.01,
    })
  })

  test('behavior: terms state the amounts of plain payments, not those of other forms', () => {
    const dear = { amountAtomic: '900000000' }
    const offers = [
      offer(),
      ...(['method', 'flow', 'gateway'] as const).map((unpayable) => offer({ ...dear, unpayable })),
      offer({ ...dear, unsafeFlow: 'permit2' }),
    ]
    const { state } = judge(with2({ offers }))
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_high', 'unproven'], priceUsd: 0.01 })
    expect(state.terms).toMatchObject([{ payTo: A, amountAtomicMin: '10000', amountAtomicMax: '10000' }])
    expect(judge(with2({ offers: offers.slice(1) })).state.terms).toEqual([])
  })

  test('behavior: official assets and forms raise nothing high, others do beside unknown networks', () => {
    const elsewhere = offer({ network: 'eip155:987654321' })
    const eurc = offer({ asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' })
    expect(flagsOf(with2({ offers: [eurc, offer({ asset: C })] }))).toEqual([
      'payment_unsupported',
      'price_unknown',
    ])
    expect(flagsOf(with2({ offers: [elsewhere, offer({ asset: C })] }))).toContain('asset_unknown')
    const testnet = offer({ network: SEPOLIA, asset: SEPOLIA_USDC })
    expect(judge(with2({ offers: [elsewhere] })).state).toMatchObject({ verdict: 'unknown', score: null })
    for (const offers of [[testnet], [elsewhere, testnet]]) {
      const { state } = judge(with2({ offers }))
      expect(state).toMatchObject({ verdict: 'avoid', riskLevel: 'high' })
      expect(state.flags).toContain('network_testnet')
    }
  })

  test('behavior: of very many offers 32 are judged, and the challenge counts as contradictory', () => {
    const offers = Array.from({ length: 40 }, (_, n) => offer({ payTo: A, amountAtomic: `${10_000 + n}` }))
    const { state } = judge(stable((at, client) => up(at, { client, offers })))
    expect(state.flags).toEqual(['terms_disagree'])
    expect(state.terms).toMatchObject([{ payTo: A, amountAtomicMin: '10000', amountAtomicMax: '10031' }])
  })

  test('behavior: a single odd probe raises nothing', () => {
    const strange = up(T0 + 2 * DAY, { offers: [offer({ network: SEPOLIA, asset: SEPOLIA_USDC })] })
    expect(flagsOf([...stable(), strange])).toEqual([])
  })

  test('behavior: raises receiver_unverified for a malformed receiver', () => {
    const malformed = {
      cause: 'challenge_malformed',
      problems: ['payto_malformed'],
      httpStatus: 402,
    } as const
    const confirm = { ...malformed, purpose: 'confirm' } as const
    const probes = [down(T0, malformed), ...[15, 31].map((minutes) => down(T0 + minutes * MINUTE, confirm))]
    expect(judge(probes).state).toMatchObject({
      status: 'invalid',
      verdict: 'avoid',
      flags: ['receiver_unverified'],
    })
  })

  test('behavior: random receivers are caution, with blank stability and history', () => {
    const lots = series(T0, 8, 20_000, (at, client) =>
      up(at, { client, payTo: address(`${(at / 20_000) % 10}`) }),
    )
    expect(judge(lots, history('established')).state).toMatchObject({
      verdict: 'caution',
      flags: ['payto_rotates'],
      receiverStability: null,
      receiverProfile: null,
      degraded: false,
    })
  })

  test('behavior: receiver_never_paid needs a week-old claim of calls for this receiver', () => {
    const never = { recordsOf: () => [record(T0 + 8 * DAY, { receiptsEver: 0 })] }
    const claims = { ...listing(T0).claims, calls: 10 }
    const probes = series(T0, 9, DAY)
    expect(flagsOf(probes, { ...never, listings: [listing(T0, { claims })] })).toEqual([
      'receiver_never_paid',
    ])
    expect(
      flagsOf(probes, { ...never, listings: [listing(T0, { claims: { ...claims, calls: 9 } })] }),
    ).toEqual([])
    const other = listing(T0, { ownClaim: false, claims: { ...claims, payTo: B } })
    expect(flagsOf(probes, { ...never, listings: [other] })).toEqual([])
    expect(flagsOf(probes, { ...never, listings: [listing(T0 + 2 * DAY, { claims })] })).toEqual([])
    expect(
      flagsOf(probes, { listings: [listing(T0, { claims })], recordsOf: () => [record(T0 + 8 * DAY)] }),
    ).toEqual([])
  })

  test('behavior: a chain record expires after a week', () => {
    const old = { recordsOf: () => [record(T0 - 7 * DAY, { category: 'established' as const })] }
    expect(judge(stable(), old).state.receiverProfile).toBeNull()
  })
})

describe('judgeEndpoint: derivation', () => {
  test('behavior: equal facts give equal state, changes and ids', () => {
    const more = { ...history('blank', B), listings: [listing(T0)] }
    expect(judge(swapped, more)).toEqual(judge(swapped, more))
    const later = judge([...swapped, up(swapAt + DAY, { payTo: B })], more)
    expect(later.changes.map(({ id }) => id)).toEqual(judge(swapped, more).changes.map(({ id }) => id))
  })

  test('behavior: a host is a new service only once', () => {
    const first = judge([up(T0)]).changes
    const second = judge([up(T0 + DAY, { endpoint: `${ENDPOINT}b` })], { endpoint: `${ENDPOINT}b` }).changes
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  })

  test('behavior: a host that answers 402 on any path says nothing of an endpoint that was never measured', () => {
    const control = up(T0, { purpose: 'control' })
    expect(judge([], { control }).state).toMatchObject({ verdict: 'unknown', flags: [], riskLevel: 'clean' })
  })

  test('behavior: unknown without a measurement', () => {
    expect(judge([], { listings: [listing(T0)], now: T0 + HOUR }).state).toMatchObject({
      status: 'unmeasured',
      verdict: 'unknown',
      score: null,
      band: null,
      expiresAt: null,
      firstSeen: T0,
    })
  })
})
