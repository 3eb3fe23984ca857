import { describe, expect, test } from 'vitest'
import type { Purchase } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import {
  A,
  B,
  BASE,
  confirmed,
  ENDPOINT,
  HOST,
  judge,
  listing,
  offer,
  record,
  series,
  T0,
  up,
} from './testing/facts.ts'
import { history, stable, swapAt, swapped, word } from './testing/swap.ts'

describe('judgeEndpoint: receiver changed', () => {
  test('default', () => {
    const { state, changes, incidents } = judge(swapped, history('blank', B))
    expect(state).toMatchObject({
      verdict: 'avoid',
      score: 20,
      flags: ['payto_changed'],
      receiverStability: 'changed',
    })
    expect(changes).toMatchObject([{ kind: 'new_service' }, { kind: 'payto_swap', before: A, after: B }])
    expect(incidents).toMatchObject([
      { kind: 'receiver_hijack', status: 'open', proof: { address: B, blockNumber: 1000 } },
    ])
  })

  test('behavior: keeps the terms, degraded and at caution, until it is confirmed', () => {
    const { state, changes } = judge([...stable(), ...confirmed(swapAt, B).slice(0, 5)], history('blank', B))
    expect(state).toMatchObject({ verdict: 'caution', degraded: true, payTo: A, flags: [] })
    expect(state.reasons.map(({ code }) => code)).toEqual(['receiver_unconfirmed'])
    expect(state.nextProbeAt - state.derivedAt).toBeLessThanOrEqual(3 * MINUTE)
    expect(changes.map(({ kind }) => kind)).toEqual(['new_service'])
  })

  test('behavior: raises nothing if the old receiver announced it', () => {
    const { state, changes, incidents } = judge(swapped, { announcements: [word], ...history('blank', B) })
    expect(state).toMatchObject({ verdict: 'safe', flags: [], receiverStability: 'new', payTo: B })
    expect(changes.map(({ kind }) => kind)).toEqual(['new_service'])
    expect(incidents).toEqual([])
  })

  test('behavior: a change to an established receiver is not a hijack', () => {
    const { state, incidents } = judge(swapped, history('established', B))
    expect(state).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'], score: 45 })
    expect(incidents).toEqual([])
  })

  test('behavior: clears after 30 days and resolves its incident', () => {
    const opened = judge(swapped, history('blank', B)).incidents
    const since = series(swapAt + HOUR, 61, 12 * HOUR, (at, client) => up(at, { client, payTo: B }))
    const probes = [...swapped, ...since]
    const { state, incidents } = judge(probes, { ...history('blank', B), incidents: opened })
    expect(state).toMatchObject({ verdict: 'safe', flags: [], receiverStability: 'stable' })
    expect(incidents).toMatchObject([
      { id: opened[0]?.id, status: 'resolved', resolvedAt: expect.any(String) },
    ])
  })

  test('behavior: a return to the old receiver ends the hijack but still shows the change', () => {
    const opened = judge(swapped, history('blank', B)).incidents
    const probes = [...swapped, ...confirmed(swapAt + DAY, A)]
    const { state, incidents } = judge(probes, { ...history('blank', B), incidents: opened })
    expect(incidents).toMatchObject([{ kind: 'receiver_hijack', status: 'resolved' }])
    expect(state.flags).toEqual(['payto_changed'])
  })

  test('behavior: later receipts of the new receiver do not clear it', () => {
    const records = [record(swapAt, { address: B }), record(swapAt + DAY, { address: B, receiptsEver: 400 })]
    const { incidents } = judge(swapped, { recordsOf: (_network, of) => (of === B ? records : []) })
    expect(incidents).toMatchObject([{ kind: 'receiver_hijack', status: 'open' }])
  })
})

describe('judgeEndpoint: incidents', () => {
  const purchase = (at: number, delivered: boolean): Purchase => ({
    kind: 'purchase',
    id: `p${at}`,
    at,
    endpoint: ENDPOINT,
    host: HOST,
    network: BASE,
    payTo: A,
    amountAtomic: '10000',
    settled: true,
    delivered,
    txHash: `0x${'cd'.repeat(32)}`,
  })

  test('default', () => {
    const purchases = [purchase(T0, false), purchase(T0 + HOUR, false)]
    const { state, incidents } = judge(stable(), { purchases })
    expect(state).toMatchObject({ verdict: 'avoid', score: 10, flags: ['no_delivery'] })
    expect(incidents).toMatchObject([{ kind: 'honeypot', proof: { txHash: purchases[1]?.txHash } }])
  })

  test('behavior: unknown networks do not clear what was proven before', () => {
    const offers = [offer({ network: 'eip155:987654321' })]
    const moved = series(T0 + 3 * DAY, 2, MINUTE, (at, client) => up(at, { client, offers }))
    const purchases = [purchase(T0, false), purchase(T0 + HOUR, false)]
    const { state } = judge([...stable(), ...moved], { purchases })
    expect(state).toMatchObject({ verdict: 'avoid', riskLevel: 'high', score: 10 })
    expect(judge([...stable(), ...moved]).state).toMatchObject({ verdict: 'unknown', score: null })
  })

  test('behavior: one undelivered purchase is no incident, and a delivery resolves it', () => {
    expect(judge(stable(), { purchases: [purchase(T0, false)] }).incidents).toEqual([])
    const purchases = [purchase(T0, false), purchase(T0 + HOUR, false)]
    const { incidents } = judge(stable(), { purchases })
    const after = judge(stable(), { purchases: [...purchases, purchase(T0 + DAY, true)], incidents })
    expect(after.incidents).toMatchObject([{ status: 'resolved' }])
    expect(after.state.verdict).toBe('safe')
  })

  test('behavior: bait caps the score at 40 while it lasts', () => {
    const dear = series(T0, 10, 3 * HOUR, (at, client) => up(at, { client, amount: '40000' }))
    const listings = [listing(T0), listing(T0 + HOUR)]
    const { state, incidents } = judge(dear, { listings })
    expect(state).toMatchObject({ verdict: 'avoid', score: 40, flags: ['price_bait'] })
    expect(incidents).toMatchObject([{ kind: 'bait_and_switch', status: 'open' }])
    const corrected = [...listings, listing(T0 + DAY, { claims: { ...listing(T0).claims, priceUsd: 0.04 } })]
    expect(judge(dear, { listings: corrected, incidents }).incidents).toMatchObject([{ status: 'resolved' }])
  })

  test('behavior: score 1.3.0, rule 16: a price that the 402 states before anybody pays is Caution, without an incident', () => {
    const dear = series(T0, 10, 3 * HOUR, (at, client) => up(at, { client, amount: '13000' }))
    const { state, incidents } = judge(dear, { listings: [listing(T0), listing(T0 + HOUR)] })
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_differs'] })
    expect(incidents).toEqual([])
  })
})
