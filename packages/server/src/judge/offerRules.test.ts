import { describe, expect, test } from 'vitest'
import type { ObservedOffer } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { A, address, B, BASE, C, judge, offer, series, T0, up } from './testing/facts.ts'
import { asking, flagsOf, later, messageOf, ofB, polygon, steady } from './testing/rules.ts'

describe('score 1.2.0, rule 1: every offer is judged', () => {
  const added = [...steady(offer()), ...series(later, 6, 3 * HOUR, asking(polygon({ payTo: B }), offer()))]

  test('default: an offer to another receiver on another network is Caution, and out of the signed terms', () => {
    const { state } = judge(added)
    expect(state).toMatchObject({ verdict: 'caution', flags: ['terms_unproven'], payTo: A })
    expect(state.terms.some(ofB)).toBe(false)
    expect(messageOf(state, 'terms_unproven')).toContain(`to ${B}`)
  })

  test('behavior: one probe keeps it out already, two raise the flag', () => {
    const { state } = judge(added.slice(0, 25))
    expect(state.flags).toEqual([])
    expect(state.terms.some(ofB)).toBe(false)
  })

  test('behavior: one that comes and goes is never confirmed, nor in the terms of the probes between', () => {
    const once = [up(later, { offers: [offer(), polygon({ payTo: B })] })]
    const { state } = judge([...steady(offer()), ...once, ...series(later + HOUR, 3, HOUR, asking(offer()))])
    expect(state.terms.some(ofB)).toBe(false)
    const often = series(later, 40, 3 * HOUR, (at, client) =>
      up(at, {
        client,
        offers: ((at - later) / (3 * HOUR)) % 3 === 0 ? [offer(), polygon({ payTo: B })] : [offer()],
      }),
    )
    const shown = judge([...steady(offer()), ...often]).state
    expect(shown).toMatchObject({ verdict: 'avoid', flags: ['receiver_alternates', 'terms_unproven'] })
    expect(shown.terms.some(ofB)).toBe(false)
  })

  test('behavior: two clients over seven days confirm another receiver, over 24 h the same one; one client never does', () => {
    const own = series(later, 9, 3 * HOUR, asking(offer(), polygon()))
    expect(judge([...steady(offer()), ...own]).state).toMatchObject({ flags: [], terms: [{}, {}] })
    const day = series(later, 9, 3 * HOUR, asking(offer(), polygon({ payTo: B })))
    expect(judge([...steady(offer()), ...day]).state.terms.some(ofB)).toBe(false)
    const week = series(later, 8 * 7 + 1, 3 * HOUR, asking(offer(), polygon({ payTo: B })))
    const seen = judge([...steady(offer()), ...week]).state
    expect(seen.flags).toEqual([])
    expect(seen.terms.some(ofB)).toBe(true)
    const one = series(later, 30, 3 * HOUR, (at) => up(at, { offers: [offer(), polygon({ payTo: B })] }))
    expect(judge([...steady(offer()), ...one]).state).toMatchObject({ flags: ['terms_unproven'] })
  })

  test('behavior: the same receiver on another network is Safe, and signed for once confirmed', () => {
    const own = [...steady(offer()), ...series(later, 4, 3 * HOUR, asking(offer(), polygon()))]
    const { state } = judge(own)
    expect(state).toMatchObject({ verdict: 'safe', flags: ['terms_new'], riskLevel: 'low' })
    expect(state.terms.map(({ network }) => network)).toEqual([BASE])
  })

  test('behavior: a first offer on a new kind of chain is Safe meanwhile', () => {
    const solana = offer({
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: 'Seller1',
    })
    const { state } = judge([...steady(offer()), ...series(later, 4, 3 * HOUR, asking(offer(), solana))])
    expect(state).toMatchObject({ verdict: 'safe', flags: ['terms_new'] })
  })

  test('behavior: what an endpoint offers from its first probe on is exempt', () => {
    expect(flagsOf(series(T0, 6, HOUR, asking(offer(), polygon({ payTo: B }))))).toEqual([])
  })

  test('behavior: a receiver that changes on a network beside Base is a change', () => {
    const before = steady(offer(), polygon())
    const after = series(later, 12, 20_000, asking(offer(), polygon({ payTo: B })))
    expect(judge([...before, ...after]).state).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
  })
})

describe('score 1.2.0, rule 2: one client that gets another offer in front', () => {
  const both = (front: ObservedOffer) =>
    [later, later + 7 * HOUR].flatMap((from) =>
      series(from, 4, MINUTE, (at, client) =>
        up(at, { client, offers: client === 'agent' ? [front, offer()] : [offer()] }),
      ),
    )

  test('default: is cloaked, whatever its network or asset, once a cache explains it no more', () => {
    const fronts = [polygon({ payTo: B }), offer({ asset: C, payTo: B }), polygon({ amountAtomic: '900000' })]
    for (const front of fronts) {
      const { state } = judge([...steady(offer()), ...both(front)])
      expect(state.flags).toContain('cloaked')
      expect(messageOf(state, 'cloaked')).toMatch(/^One client got .*; another got /)
    }
  })

  test('behavior: a seller that shuffles the same offers is not', () => {
    const shuffled = series(T0, 24, 3 * HOUR, (at, client) =>
      up(at, { client, offers: client === 'agent' ? [polygon(), offer()] : [offer(), polygon()] }),
    )
    expect(flagsOf(shuffled)).toEqual([])
  })
})

describe('score 1.2.0, rule 3: the dearest payable offer', () => {
  test('default: a dear offer beside the shown one is price_high, with its numbers', () => {
    const dear = polygon({ amountAtomic: '2500000' })
    const categoryPrice = () => ({ medianUsd: 0.01, count: 6 })
    const { state } = judge(steady(offer(), dear), { categoryPrice })
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_high', 'unproven'] })
    expect(messageOf(state, 'price_high')).toBe(
      'It asks $2.50; the median of 6 comparable is $0.01. Clears at $0.10 or less.',
    )
  })

  test('behavior: rule 3 of 1.3.0: the maximum of upto, and a deposit, are prices', () => {
    const upto = offer({ scheme: 'upto', amountAtomic: '9000000' })
    expect(flagsOf(steady(offer(), upto))).toEqual(['price_high', 'unproven'])
    const deposit = offer({ scheme: 'batch-settlement', mostAtomic: '1000000000000' })
    expect(flagsOf(steady(offer(), deposit))).toEqual(['price_high', 'unproven'])
    // The unlucky honest seller: a maximum within the usual.
    expect(flagsOf(steady(offer(), offer({ scheme: 'upto', amountAtomic: '50000' })))).toEqual([])
  })

  test('behavior: an asset without a price in dollars says so', () => {
    expect(flagsOf(steady(offer({ asset: C })))).toContain('price_unknown')
    expect(flagsOf(steady(offer({ asset: C }), offer()))).toContain('price_unknown')
    expect(flagsOf(steady(offer()))).not.toContain('price_unknown')
  })
})

describe('score 1.2.0, rule 4: a range is a price', () => {
  const priced = (amounts: readonly string[]) =>
    series(T0, amounts.length, 3 * HOUR, (at, client) =>
      up(at, { client, amount: amounts[(at - T0) / (3 * HOUR)] ?? '1000' }),
    )
  const mostly = (dear: readonly number[]) =>
    Array.from({ length: 20 }, (_, index) => (dear.includes(index) ? '500000' : '1000'))

  test('default: $0.001 usually and $0.50 at random is Caution, and signed for up to three times the median', () => {
    const { state } = judge(priced(mostly([7, 18])))
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_varies'] })
    expect(state.terms).toMatchObject([{ amountAtomicMin: '1000', amountAtomicMax: '1000' }])
    expect(messageOf(state, 'price_varies')).toContain('1000 in 18, 500000 in 2 atomic units')
  })

  test('behavior: a price that varies with the network or asset is one too', () => {
    const dear = polygon({ amountAtomic: '500000' })
    const cheap = offer({ amountAtomic: '1000' })
    const probes = series(T0, 20, 3 * HOUR, (at, client) =>
      up(at, { client, offers: [((at - T0) / (3 * HOUR)) % 5 === 4 ? dear : cheap] }),
    )
    const { state } = judge(probes)
    expect(state.flags).toContain('price_varies')
    expect(messageOf(state, 'price_varies')).toContain('$0.001 in 16, $0.50 in 4')
    for (const { amountAtomicMax } of state.terms) expect(amountAtomicMax).toBe('1000')
  })

  test('behavior: the first spike is out of the signed terms already', () => {
    const { state } = judge(priced(mostly([18])))
    expect(state.flags).not.toContain('price_varies')
    expect(state.terms).toMatchObject([{ amountAtomicMax: '1000' }])
  })

  test('behavior: of few probes the lowest price counts, since chance may show the dear one first', () => {
    for (const amounts of [
      ['500000', '500000', '1000'],
      ['1000', '500000', '500000', '500000'],
    ])
      expect(judge(priced(amounts)).state.terms).toMatchObject([{ amountAtomicMax: '1000' }])
  })

  test('behavior: one step is a jump, and the new price is signed for once five probes in a row ask it', () => {
    const four = judge(priced(mostly([16, 17, 18, 19]))).state
    expect([four.flags, four.terms[0]?.amountAtomicMax]).toEqual([[], '1000'])
    const five = judge(priced(mostly([15, 16, 17, 18, 19]))).state
    expect([five.flags, five.terms[0]?.amountAtomicMax]).toEqual([[], '500000'])
  })

  test('behavior: day and night prices within three times are none', () => {
    const daily = Array.from({ length: 20 }, (_, index) => (index % 8 < 4 ? '9000' : '15000'))
    expect(flagsOf(priced(daily))).not.toContain('price_varies')
  })

  test('behavior: a price that follows the request, tiers and upto are declared', () => {
    const byRequest = series(T0, 20, 3 * HOUR, (at, client) => {
      const isDear = ((at - T0) / (3 * HOUR)) % 2 === 0
      return up(at, { client, amount: isDear ? '500000' : '1000', request: isDear ? 'long' : 'short' })
    })
    const upto = series(T0, 20, 3 * HOUR, (at, client) =>
      up(at, {
        client,
        offers: [
          offer({ scheme: 'upto', amountAtomic: ((at - T0) / (3 * HOUR)) % 2 === 0 ? '500000' : '1000' }),
        ],
      }),
    )
    const tiers = steady(offer({ amountAtomic: '1000' }), offer({ amountAtomic: '500000' }))
    for (const probes of [byRequest, upto, tiers]) expect(flagsOf(probes)).not.toContain('price_varies')
  })
})

test('score 1.2.0, rule 6: what stock clients refuse is said, and stays Safe', () => {
  const refused = offer({ stockRefuses: 'domain_missing' })
  expect(judge(steady(refused)).state).toMatchObject({ verdict: 'safe', flags: ['unpayable_by_stock'] })
  expect(flagsOf(steady(refused, polygon()))).toEqual([])
})

describe('score 1.2.0, rule 16: deposit receivers with signed offers', () => {
  const deposits = (key: (index: number) => string | undefined) =>
    [...series(T0, 6, 20_000), ...series(T0 + DAY, 6, 20_000)].map(({ at, client }, index) => {
      const offersSignedBy = key(index)
      return up(at, { client, payTo: address(`${index % 10}`), ...(offersSignedBy && { offersSignedBy }) })
    })

  test('default: are Safe while one key signs them all', () => {
    expect(judge(deposits(() => 'did:web:api.example#1')).state).toMatchObject({
      verdict: 'safe',
      flags: [],
      receiverStability: null,
    })
  })

  test('behavior: unsigned ones, or those of two keys, rotate', () => {
    expect(flagsOf(deposits(() => undefined))).toEqual(['payto_rotates'])
    expect(
      flagsOf(deposits((index) => (index === 11 ? 'did:web:thief#1' : 'did:web:api.example#1'))),
    ).toEqual(['payto_rotates'])
  })
})

test('score 1.2.0: offers that the receiver itself signed are its proof for the host', () => {
  const signed = (offersSignedBy: string) =>
    series(T0, 4, DAY, (at, client) => up(at, { client, offersSignedBy }))
  expect(judge(signed(`eip155:${A}`)).state.score).toBe(92)
  for (const key of [`eip155:${B}`, 'jwk:abc', `did:${A}`]) expect(judge(signed(key)).state.score).toBe(90)
})

describe('score 1.3.0, rule 17: small tests of prices', () => {
  /** Two clients in turn, twenty minutes apart, each with its own price. */
  const tested = (amount: string) =>
    series(T0, 40, 20 * MINUTE, (at, client) =>
      up(at, { client, amount: client === 'agent' ? amount : '10000' }),
    )

  test('default: prices that differ by under 20 % between clients vary, and are not cloaked', () => {
    expect(judge(tested('11500')).state).toMatchObject({ verdict: 'caution', flags: ['price_varies'] })
    expect(messageOf(judge(tested('11500')).state, 'price_varies')).toContain('within 20 % of one another')
  })

  test('behavior: above that they are cloaked', () => {
    expect(judge(tested('12500')).state).toMatchObject({ verdict: 'avoid', flags: ['cloaked'] })
  })
})
