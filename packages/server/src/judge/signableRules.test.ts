import { describe, expect, test } from 'vitest'
import { B, C, judge, offer, series, T0, up } from './testing/facts.ts'
import { flagsOf, messageOf, polygon, steady } from './testing/rules.ts'

const HOUR = 3_600_000
const lenient = { lenient: true } as const
/** An asset that no table has. */
const TOKEN = C

describe('score 1.3.0, rule 1: whatever a stock client could sign is judged', () => {
  test('default: an entry that only lenient clients read is judged, and is in the terms', () => {
    const { state } = judge(steady(offer({ ...lenient, payTo: B }), offer()))
    expect(state.verdict).toBe('caution')
    expect(state.flags).toContain('terms_hidden')
    expect(state.terms.map(({ payTo }) => payTo)).toContain(B)
  })

  test('behavior: no signed term is left unjudged: test networks and free offers beside priced ones are in none', () => {
    const sepolia = offer({
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      payTo: B,
    })
    const free = offer({ amountAtomic: '0', payTo: B })
    const { state } = judge(steady(sepolia, free, offer()))
    expect(state).toMatchObject({ verdict: 'safe', flags: [] })
    expect(state.terms.map(({ payTo }) => payTo)).not.toContain(B)
  })

  test('behavior: an offer of MPP is judged, and in no signed term', () => {
    const mpp = offer({
      protocol: 'mpp',
      scheme: 'charge',
      network: 'mpp:stripe',
      asset: 'usd',
      payTo: 'mpp:stripe',
    })
    const dear = judge(steady(offer(), { ...mpp, amountAtomic: '50000' })).state
    expect(dear.flags).toEqual(['price_high', 'unproven'])
    const { verdict, flags, terms } = judge(steady(offer(), { ...mpp, amountAtomic: '50' })).state
    expect({ verdict, flags, schemes: terms.map(({ scheme }) => scheme) }).toEqual({
      verdict: 'safe',
      flags: [],
      schemes: ['exact'],
    })
  })

  test('behavior: the unlucky honest seller, whose every offer is spelt in its own way, is Safe', () => {
    const { state } = judge(steady(offer(lenient)))
    expect(state).toMatchObject({ verdict: 'safe', flags: ['payment_unsupported', 'terms_unreadable'] })
  })
})

describe('score 1.3.0, rule 2: terms that cannot be read', () => {
  const unread = (problem: string) =>
    series(T0, 24, 3 * HOUR, (at, client) => up(at, { client, problems: [problem] }))

  test('default: a part that nobody reads is said, and stays Safe', () => {
    const { state } = judge(unread('entry_malformed'))
    expect(state).toMatchObject({ verdict: 'safe', flags: ['terms_unreadable'] })
    expect(messageOf(state, 'terms_unreadable')).toBe(
      'Parts of its 402 cannot be read (entry_malformed). Clears at the next probe that does not show it.',
    )
  })

  test('behavior: a lenient entry of the same receiver and price is said, a dearer one is medium', () => {
    expect(judge(steady(offer(), offer(lenient))).state).toMatchObject({
      verdict: 'safe',
      flags: ['terms_unreadable'],
    })
    const dearer = judge(steady(offer(), offer({ ...lenient, amountAtomic: '20000' }))).state
    expect(dearer).toMatchObject({ verdict: 'caution', riskLevel: 'medium' })
    expect(messageOf(dearer, 'terms_hidden')).toContain('Some clients sign 20000 as exact payment')
  })

  test('behavior: a second challenge that some clients read and the prober cannot is medium', () => {
    const { state } = judge(unread('body_hidden'))
    expect(state).toMatchObject({ verdict: 'caution', flags: ['terms_hidden', 'terms_unreadable'] })
  })
})

describe('score 1.3.0, rule 3: prices that cannot be compared', () => {
  test('default: an offer without a price to another receiver is medium', () => {
    const { state } = judge(steady(offer(), offer({ asset: TOKEN, payTo: B })))
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_incomparable'] })
    expect(messageOf(state, 'price_incomparable')).toContain('has no price in dollars')
  })

  test('behavior: to the same receiver it is said, and stays Safe', () => {
    const { state } = judge(steady(offer(), polygon({ asset: TOKEN })))
    expect(state).toMatchObject({ verdict: 'safe', flags: ['price_unknown'] })
  })

  test('behavior: a decoy in front of the priced offer is medium too', () => {
    expect(flagsOf(steady(offer({ asset: TOKEN, payTo: B }), offer()))).toEqual(['price_incomparable'])
  })
})
