import { describe, expect, test } from 'vitest'
import type { Announcement } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { A, B, BASE, C, confirmed, HOST, judge, offer, record, series, T0, up } from './testing/facts.ts'
import { asking, flagsOf, messageOf, polygon, proofOf, steady } from './testing/rules.ts'
import { swapAt, swapped } from './testing/swap.ts'

const recordsOf = () => [record(swapAt + MINUTE, { address: B, receiptsEver: 0 })]

/** Offers A, then A and B for some days, then B alone. */
function handedOver(days: number) {
  const both = series(T0 + DAY, days + 1, DAY, asking(offer(), polygon({ payTo: B })))
  const after = T0 + (days + 1.5) * DAY
  return [...series(T0, 8, 3 * HOUR), ...both, ...series(after, 14, HOUR, asking(polygon({ payTo: B })))]
}

describe('score 1.3.0, rule 9: only the old receiver speaks for a change', () => {
  test("default: adding an offer and dropping the owner's within a week is a changed receiver", () => {
    const { state } = judge(handedOver(2))
    expect(state).toMatchObject({ verdict: 'avoid', receiverStability: 'changed' })
    expect(state.flags).toContain('payto_changed')
  })

  test('behavior: between a week and 30 days together it is Caution, and after 30 days nothing', () => {
    const { state, incidents } = judge(handedOver(8), { recordsOf })
    expect(state).toMatchObject({
      verdict: 'caution',
      flags: expect.arrayContaining(['receiver_handed_over']),
    })
    expect(incidents).toEqual([])
    expect(messageOf(state, 'receiver_handed_over')).toContain(
      'after both had been offered for more than 7 days',
    )
    expect(judge(handedOver(31)).state).toMatchObject({ verdict: 'safe', receiverStability: 'stable' })
  })

  test("behavior: abuse: a receiver's own signature confirms it neither beside another nor after one", () => {
    expect(flagsOf(handedOver(2), { announcements: [proofOf(B), proofOf(B, 'eip155:137')] })).toContain(
      'payto_changed',
    )
    const beside = series(T0 + 3 * DAY, 4, 3 * HOUR, asking(offer(), polygon({ payTo: B })))
    const announcements = [proofOf(B, 'eip155:137')]
    expect(flagsOf([...steady(offer()), ...beside], { announcements })).toEqual(['terms_unproven'])
    // Nor does it add to the score of the thief.
    expect(judge(swapped, { announcements: [proofOf(B)] }).state.scored.proof.signed).toBe(false)
  })

  test('behavior: the unlucky honest seller, who moves with the same address, is Safe', () => {
    const moved = series(T0 + 3 * DAY, 14, 3 * HOUR, asking(polygon()))
    expect(judge([...steady(offer()), ...moved]).state).toMatchObject({ verdict: 'safe' })
  })

  test('behavior: a judgement without the first probes knows which receivers were added later', () => {
    const all = handedOver(2)
    const before = judge(all.slice(0, -14)).state
    const cut = all.slice(10)
    expect(flagsOf(cut, { isWhole: false, before })).toContain('payto_changed')
  })
})

describe('score 1.3.0, rule 11: the owner of the host', () => {
  const confirmation = (changes: Partial<Announcement> = {}): Announcement => ({
    kind: 'announcement',
    id: 'ann_1',
    at: swapAt + DAY,
    host: HOST,
    network: BASE,
    oldPayTo: A,
    newPayTo: B,
    validFrom: swapAt + DAY,
    basis: 'host_confirmed',
    claimedAt: swapAt - DAY,
    txHash: null,
    ...changes,
  })
  const stayed = (days: number) => [
    ...swapped,
    ...series(swapAt + DAY, 8 * days, 3 * HOUR, (at, client) => up(at, { client, payTo: B })),
  ]
  const judged = (days: number, ...announcements: Announcement[]) =>
    judge(stayed(days), { announcements, recordsOf })

  test('default: a change that the owner confirmed is Caution after seven stable days, without an incident', () => {
    expect(judged(5, confirmation()).state).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
    const { state, incidents } = judged(8, confirmation())
    expect(state).toMatchObject({ verdict: 'caution', flags: ['receiver_confirmed_by_host'] })
    expect(incidents).toEqual([])
    expect(messageOf(state, 'receiver_confirmed_by_host')).toContain(
      "confirmed by the host's owner, not by the old receiver",
    )
  })

  test('behavior: abuse: a claim from after the change, or one that has lapsed, confirms nothing', () => {
    expect(judged(8, confirmation({ claimedAt: swapAt + HOUR })).state.verdict).toBe('avoid')
    const lapsed = confirmation({ id: 'ann_2', at: swapAt + 2 * DAY, expiresAt: swapAt + 2 * DAY })
    expect(judged(8, confirmation(), lapsed).state.verdict).toBe('avoid')
    expect(judged(8, confirmation({ newPayTo: C })).state.verdict).toBe('avoid')
  })
})

describe('score 1.3.0, rule 5: being seen counts', () => {
  const at = T0 + 3 * DAY
  /** Names B in some probes of one minute, and A before and after. */
  const seen = (...times: number[]) => {
    const all = [
      ...steady(offer()),
      ...series(at, 40, 3 * HOUR),
      ...times.map((time) => up(time, { payTo: B })),
    ]
    return all.sort((a, b) => a.at - b.at)
  }
  const end = at + 119 * HOUR

  test('default: a receiver that one probe saw among stable ones is Caution for seven days', () => {
    const { state } = judge(seen(end - DAY))
    expect(state).toMatchObject({ verdict: 'caution', flags: ['receiver_flickers'] })
    expect(messageOf(state, 'receiver_flickers')).toContain(`named ${B} once`)
    const later = series(end + HOUR, 50, 4 * HOUR)
    expect(judge([...seen(end - DAY), ...later]).state.verdict).toBe('safe')
  })

  test('behavior: it is asked for again, at drawn times that are closer', () => {
    const gapOf = (all: ReturnType<typeof seen>) => {
      const { nextProbeAt, derivedAt } = judge(all, { random: 0.5 }).state
      return nextProbeAt - derivedAt
    }
    expect(gapOf(seen(end - HOUR))).toBeLessThan(gapOf(seen()) / 2)
  })

  test('behavior: on two occasions an hour apart it is Avoid, for 30 days', () => {
    const { state } = judge(seen(end - 2 * DAY, end - DAY))
    expect(state).toMatchObject({ verdict: 'avoid', flags: ['receiver_alternates'] })
    expect(state.reasons.find(({ code }) => code === 'receiver_alternates')?.evidence).toHaveLength(4)
    expect(flagsOf(seen(end - DAY, end - DAY + 20 * MINUTE))).toEqual(['receiver_flickers'])
  })

  test('behavior: abuse: windows of ten minutes, and an offer that is added in front for minutes, are found', () => {
    const front = [end - 2 * DAY, end - DAY].map((time) =>
      up(time, { offers: [polygon({ payTo: B }), offer()] }),
    )
    const all = [...seen(), ...front].sort((a, b) => a.at - b.at)
    expect(judge(all).state.verdict).toBe('avoid')
  })

  test('behavior: the unlucky honest seller, whose new offer a cache shows now and then at first, is Caution at most', () => {
    const solana = offer({
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: 'Seller',
    })
    const mixed = series(at, 6, 45 * MINUTE, (time, client) =>
      up(time, { client, offers: client === 'agent' ? [offer(), solana] : [offer()] }),
    )
    expect(judge([...steady(offer()), ...mixed]).state.verdict).toBe('caution')
    const stayed = series(at + 5 * HOUR, 16, 3 * HOUR, asking(offer(), solana))
    expect(judge([...steady(offer()), ...mixed, ...stayed]).state.verdict).toBe('safe')
  })

  test('behavior: an announced receiver may be seen early', () => {
    const announcements: Announcement[] = [
      {
        kind: 'announcement',
        id: 'a',
        at: T0,
        host: HOST,
        network: BASE,
        oldPayTo: A,
        newPayTo: B,
        validFrom: T0,
        basis: 'signature',
        txHash: null,
      },
    ]
    expect(judge(seen(end - 2 * DAY, end - DAY), { announcements }).state.verdict).toBe('safe')
  })

  test('behavior: receivers that rotate are Caution, as before', () => {
    const pool = series(T0, 40, 3 * HOUR, (time, client) =>
      up(time, { client, payTo: (time / HOUR) % 5 < 2 ? B : A }),
    )
    const pair = [up(T0 + 119 * HOUR, { payTo: B }), up(T0 + 119 * HOUR + 1000)]
    expect(flagsOf([...pool, ...pair])).toEqual(['payto_rotates'])
  })

  test('behavior: abuse: a thief that answers the repeated probe honestly is no rotation', () => {
    const pair = [up(end - DAY, { payTo: B, client: 'agent' }), up(end - DAY + 1000, { client: 'agent' })]
    const all = [...seen(end - 2 * DAY), ...pair].sort((a, b) => a.at - b.at)
    expect(judge(all).state).toMatchObject({
      verdict: 'avoid',
      flags: ['receiver_alternates'],
    })
  })

  test('behavior: a change that is confirmed is one change, no flicker', () => {
    expect(flagsOf([...swapped, ...confirmed(swapAt + HOUR, B)])).toEqual(['payto_changed'])
  })
})

describe('score 1.3.0: what a thief may not shake off', () => {
  const stolen = [
    ...swapped,
    ...series(swapAt + DAY, 30, 3 * HOUR, (at, client) => up(at, { client, payTo: B })),
  ]
  const last = stolen.at(-1)?.at ?? 0

  test('default: a rotated answer neither clears a changed receiver nor closes its incident', () => {
    const pair = [up(last + 3 * HOUR, { payTo: C }), up(last + 3 * HOUR + 1000, { payTo: B })]
    const open = judge(stolen, { recordsOf }).incidents
    const { state, incidents } = judge([...stolen, ...pair], { recordsOf, incidents: open })
    expect(state.flags).toContain('payto_changed')
    expect(incidents).toMatchObject([{ kind: 'receiver_hijack', status: 'open' }])
  })

  test('behavior: a later change with mitigating evidence does not hide an earlier theft', () => {
    const both = series(last + DAY, 9, DAY, asking(offer({ payTo: B }), polygon({ payTo: C })))
    const after = series(last + 9.5 * DAY, 14, HOUR, asking(polygon({ payTo: C })))
    expect(judge([...stolen, ...both, ...after], { recordsOf }).state.flags).toContain('payto_changed')
  })

  test('behavior: windows with a fresh receiver each are counted together', () => {
    const start = T0 + 3 * DAY
    const windows = [B, C].map((payTo, day) => up(start + day * DAY, { payTo }))
    const usual = series(start + HOUR, 20, 3 * HOUR)
    const all = [...steady(offer()), ...usual, ...windows].sort((a, b) => a.at - b.at)
    expect(judge(all).state).toMatchObject({ verdict: 'avoid', flags: ['receiver_alternates'] })
  })

  test('behavior: the unlucky honest seller, who rolls an offer back and adds it again, is Caution at most', () => {
    const solana = offer({
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: 'Seller',
    })
    const tried = series(T0 + 3 * DAY, 3, HOUR, asking(offer(), solana))
    const rolledBack = series(T0 + 3 * DAY + 3 * HOUR, 8, 3 * HOUR, asking(offer()))
    const again = series(T0 + 5 * DAY, 4, 3 * HOUR, asking(offer(), solana))
    const { verdict } = judge([...steady(offer()), ...tried, ...rolledBack, ...again]).state
    expect(verdict).toBe('caution')
  })

  test('behavior: a deposit beside a free amount is judged by what it hands over', () => {
    const deposit = offer({
      scheme: 'batch-settlement',
      payTo: B,
      amountAtomic: '0',
      mostAtomic: '500000000',
    })
    expect(judge(steady(offer(), deposit)).state.verdict).not.toBe('safe')
  })

  test('behavior: deposit addresses of MPP beside a stable offer are no change of receiver', () => {
    const mpp = (digit: number) =>
      offer({
        protocol: 'mpp',
        scheme: 'charge',
        network: 'eip155:4217',
        payTo: `0x${`${digit}`.repeat(40)}`,
      })
    const all = series(T0, 40, 3 * HOUR, (at, client) =>
      up(at, { client, offers: [offer(), mpp(Math.floor((at - T0) / (24 * HOUR)))] }),
    )
    const { flags } = judge(all).state
    expect(flags).not.toContain('payto_changed')
    expect(flags).not.toContain('receiver_alternates')
  })
})
