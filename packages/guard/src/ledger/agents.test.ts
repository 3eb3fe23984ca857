import { describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { outcome, run, verdict } from '../testing/decisions.ts'
import { aProof, aRequest } from '../testing/requests.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { termOf } from '../testing/service.ts'
import type { VerdictState } from '../types.ts'
import { createMemoryLedger } from './journal.ts'
import type { LedgerUpdate, Reservation } from './ledger.ts'

const limits = budgetLimits(
  parsePolicy({ maxPerDayUsd: '9', maxPerHostPerDayUsd: '9', maxPerPaymentUsd: '9', maxStrikes: 0 }),
)
const UNTIL = 1_700_000_060
let nonce = 0
const anAuthorization = () => ({
  from: HONEST,
  validBefore: String(UNTIL),
  nonce: `0x${(++nonce).toString(16).padStart(64, '0')}`,
})

/** A ledger in which agents and the owner (null) pay. */
function setUp() {
  const ledger = createMemoryLedger()
  let call = 0
  const pay = async (agent: string | null, change: Partial<Reservation> = {}, ...ends: LedgerUpdate[]) => {
    call += 1
    const request = aRequest({ at: call, agent, payTo: HONEST, call: `GET ${call}`, ...change })
    const reserved = await ledger.reserve(request, { ...limits, maxStrikes: 1000 })
    if (!reserved.ok) throw new Error(reserved.code)
    await ledger.update(reserved.id, { state: 'sent', authorization: anAuthorization() })
    for (const end of ends) await ledger.update(reserved.id, end)
    return reserved.id
  }
  const view = (agent: string | null, change: Partial<Reservation> = {}) =>
    ledger.view(aRequest({ agent, payTo: HONEST, ...change }), limits, 1000)
  return { ledger, pay, view }
}

describe('what one agent does', () => {
  test('behavior: pins a receiver for itself; another agent and the owner are asked where they would pay another one', async () => {
    const { pay, view } = setUp()
    await pay('a', { payTo: THIEF })
    for (const agent of ['b', null]) expect(view(agent).pinnedReceiver).toBe(THIEF)
    // Its own experience goes before that of others, so no agent can stop another one from paying as before.
    await pay('b')
    expect(view('b').pinnedReceiver).toBe(HONEST)
    expect(view('a', { payTo: THIEF }).pinnedReceiver).toBe(THIEF)
    // Where others disagree, neither receiver goes unasked.
    for (const payTo of [HONEST, THIEF])
      expect(view(null, { payTo }).pinnedReceiver).toBe(payTo === HONEST ? THIEF : HONEST)
  })

  test('behavior: two failures of one moment are two strikes, as where a database dates a batch', async () => {
    const { pay, ledger } = setUp()
    for (let count = 0; count < 2; count++) await pay('a', { at: 1 }, { delivered: false })
    expect(ledger.strikes()).toMatchObject([{ at: [1, 1] }])
  })

  test('behavior: makes a price usual for itself; others have the least of all, or their own', async () => {
    const { pay, view } = setUp()
    await pay('a', { usdMicros: 900_000n })
    expect(view('b').usual?.usdMicros).toBe(900_000n)
    await pay('c', { usdMicros: 1000n })
    expect([view('a'), view('b'), view(null)].map((one) => one.usual?.usdMicros)).toEqual([
      900_000n,
      1000n,
      1000n,
    ])
  })

  test('behavior: pays a price that another one is not let pay for it: what others have paid can only make it ask', async () => {
    const { pay, view } = setUp()
    const dear = { endpoint: 'https://a.example/dear', usdMicros: 900_000n }
    await pay('b', { usdMicros: 10_000n }, { delivered: true })
    await pay('a', dear, { delivered: true })
    const decide = (agent: string | null, amount: string, state: VerdictState | null = null) =>
      outcome(
        run({
          policy: { hosts: { 'api.example.com': { maxPerDayUsd: '9' } } },
          state,
          view: view(agent, dear),
          offers: [{ amount }],
        }),
      )
    expect(decide('a', '900000')).toBe('allow 900000')
    // As if it had not been paid by another: ten cents, or three times its own dearest call.
    expect(['100000', '100001', '900000'].map((amount) => decide('b', amount))).toEqual([
      'allow 100000',
      'ask PRICE_NOT_USUAL',
      'ask PRICE_NOT_USUAL',
    ])
    const terms = [termOf(HONEST, '900000', { amountAtomicMin: '10000' })]
    expect(decide('b', '900000', verdict({ terms }))).toBe('ask PRICE_NOT_USUAL')
    // The owner's experience is everybody's.
    await pay(null, dear, { delivered: true })
    expect(decide('b', '900000')).toBe('allow 900000')
  })

  test('behavior: earns trust for itself alone, and the owner for all', async () => {
    const { pay, view } = setUp()
    for (let count = 0; count < 3; count++) await pay('a', {}, { delivered: true })
    expect(['a', 'b', null].map((agent) => view(agent).deliveries)).toEqual([3, 0, 0])
    await pay(null, {}, { delivered: true })
    expect(['a', 'b', null].map((agent) => view(agent).deliveries)).toEqual([4, 1, 1])
  })

  test('behavior: a delivery to one agent clears no strike of another', async () => {
    const { pay, view } = setUp()
    await pay('a', {}, { delivered: false })
    await pay('b', {}, { delivered: true })
    expect(view('a').struckUntil).not.toBeNull()
  })

  const barred = (view: ReturnType<typeof setUp>['view']) =>
    ['a', 'b', 'c', null].filter((agent) => view(agent).struckUntil !== null)

  test.each<[string, [string | null, LedgerUpdate[]][], (string | null)[]]>([
    ['of one agent counts for it', [['a', [{ delivered: false }]]], ['a']],
    [
      'twice by one agent counts for it',
      [
        ['a', [{ delivered: false }]],
        ['a', [{ delivered: false }]],
      ],
      ['a'],
    ],
    [
      'of two agents counts for all',
      [
        ['a', [{ delivered: false }]],
        ['b', [{ delivered: false }]],
      ],
      ['a', 'b', 'c', null],
    ],
    ['of the owner counts for all', [[null, [{ delivered: false }]]], ['a', 'b', 'c', null]],
    [
      'after a settlement that the chain proved counts for all',
      [['a', [{ state: 'settled', by: 'chain', transaction: null }, { delivered: false }]]],
      ['a', 'b', 'c', null],
    ],
    [
      'whose settlement is proved later counts for all',
      [['a', [{ delivered: false }, { state: 'settled', by: 'chain', transaction: null }]]],
      ['a', 'b', 'c', null],
    ],
    [
      'after a settlement that the seller claims counts for it',
      [['a', [{ state: 'settled', by: 'seller', transaction: null }, { delivered: false }]]],
      ['a'],
    ],
    [
      'by a 4xx of two agents, proved too, counts for each of them',
      [
        [
          'a',
          [
            { delivered: false, isOwn: true },
            { state: 'settled', by: 'chain', transaction: null },
          ],
        ],
        ['b', [{ delivered: false, isOwn: true }]],
      ],
      ['a', 'b'],
    ],
  ])('behavior: a strike %s', async (_, payments, expected) => {
    const { pay, view } = setUp()
    for (const [agent, ends] of payments) await pay(agent, {}, ...ends)
    expect(barred(view)).toEqual(expected)
  })

  test('behavior: the owner clears strikes and pins of every agent at once', async () => {
    const { ledger, pay, view } = setUp()
    for (const agent of ['a', 'b']) await pay(agent, {}, { delivered: false })
    expect([ledger.strikes().length, ledger.pins().length]).toEqual([1, 1])
    await ledger.clear('strikes', 'a.example')
    await ledger.clear('pins', 'a.example')
    expect([barred(view), ledger.pins()]).toEqual([[], []])
  })
})

describe('what was handed out', () => {
  const setUpOne = async (agent: string | null, state: 'handedOut' | 'sent' | 'unknown' = 'handedOut') => {
    const ledger = createMemoryLedger()
    const reserved = await ledger.reserve(aRequest({ agent }), limits)
    if (!reserved.ok) throw new Error(reserved.code)
    const authorization = anAuthorization()
    if (state === 'handedOut') await ledger.update(reserved.id, { state, authorization })
    else await ledger.update(reserved.id, { state: 'sent', authorization })
    if (state === 'unknown') await ledger.update(reserved.id, { state })
    return { ledger, id: reserved.id, spent: () => ledger.totals().usdMicros }
  }
  const late = { state: 'expired', at: UNTIL * 1000 + 600_001 } as const

  test.each<[string, LedgerUpdate]>([
    ['the word that nothing was signed', { state: 'unsigned' }],
    ['an end of less than ten minutes ago', { state: 'expired', at: UNTIL * 1000 + 600_000 }],
    [
      'a proof within ten minutes of the end',
      { state: 'unused', proof: aProof(UNTIL, { at: (UNTIL + 600) * 1000 }) },
    ],
    ['a block before the end', { state: 'unused', proof: aProof(UNTIL, { timestamp: UNTIL }) }],
    ['a block of 2100', { state: 'unused', proof: aProof(UNTIL, { timestamp: 4_102_444_800 }) }],
    ['a block of an hour ago', { state: 'unused', proof: aProof(UNTIL, { at: (UNTIL + 3602) * 1000 }) }],
    ['an answer', { answered: true }],
    ['no delivery', { delivered: false }],
  ])('error: is not released by %s', async (_, change) => {
    for (const agent of ['a', null]) {
      const { ledger, id, spent } = await setUpOne(agent)
      await ledger.update(id, change)
      expect(spent()).toBe(10_000n)
    }
  })

  test('behavior: is released ten minutes after its end to a program of the owner that the guard saw not sending it', async () => {
    for (const [agent, state, expected] of [
      [null, 'handedOut', 0n],
      [null, 'sent', 10_000n],
      [null, 'unknown', 10_000n],
      ['a', 'handedOut', 10_000n],
    ] as const) {
      const { ledger, id, spent } = await setUpOne(agent, state)
      expect(ledger.lapsed(late.at)).toHaveLength(expected === 0n ? 1 : 0)
      await ledger.update(id, late)
      expect([agent, state, spent()]).toEqual([agent, state, expected])
    }
  })

  test('behavior: is released by a proof of the chain, whatever its age', async () => {
    for (const agent of ['a', null]) {
      const { ledger, id, spent } = await setUpOne(agent)
      // Kept for more than a day, though other payments were made since.
      await ledger.reserve(aRequest({ at: Date.now() + 3 * 86_400_000, call: 'GET other' }), limits)
      await ledger.update(id, { state: 'unused', proof: aProof(UNTIL) })
      expect(spent()).toBe(10_000n)
    }
  })
})
