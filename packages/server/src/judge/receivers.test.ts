import { describe, expect, test } from 'vitest'
import type { Listing, ObservedOffer, ReceiverRecord } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { findShownRecord } from './receivers.ts'
import {
  A,
  address,
  B,
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
} from './testing/facts.ts'
import { stable } from './testing/swap.ts'

describe('receiver_never_paid', () => {
  type Case = {
    offers?: readonly ObservedOffer[]
    claims?: Partial<Listing['claims']>
    record?: Partial<ReceiverRecord>
  }
  const judgeCase = ({ offers = [offer()], claims, record: changes }: Case) =>
    judge(
      series(T0, 9, DAY).map((probe) => ({ ...probe, offers })),
      {
        recordsOf: () => [record(T0 + 8 * DAY, { receiptsEver: 0, ...changes })],
        listings: [listing(T0, { claims: { ...listing(T0).claims, calls: 10, ...claims } })],
      },
    )
  const isRaised = (given: Case) => {
    const { state, incidents } = judgeCase(given)
    const flagged = state.flags.includes('receiver_never_paid')
    expect(incidents.some(({ kind }) => kind === 'unverified_receiver')).toBe(flagged)
    return flagged
  }
  const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'

  test('default: a claim of calls without a receipt in the whole history', () => {
    expect(isRaised({})).toBe(true)
    expect(isRaised({ claims: { network: null, asset: null } })).toBe(true)
  })

  test('behavior: is not raised for a history that does not reach back to the first block', () => {
    expect(isRaised({ record: { isWholeLife: false } })).toBe(false)
    const { isWholeLife: _, ...older } = record(T0 + 8 * DAY, { receiptsEver: 0 })
    const probes = series(T0, 9, DAY)
    const listings = [listing(T0, { claims: { ...listing(T0).claims, calls: 10 } })]
    expect(judge(probes, { recordsOf: () => [older], listings }).state.flags).toEqual([])
  })

  test('behavior: is not raised if an offer settles on a network, in a token or with a receiver that is not read', () => {
    const elsewhere: Partial<ObservedOffer>[] = [
      { network: POLYGON, asset: POLYGON_USDC },
      { network: SEPOLIA, asset: SEPOLIA_USDC },
      { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', asset: 'EPjFWdd5', payTo: '7EYnhQoR' },
      { asset: EURC },
      { payTo: B },
    ]
    for (const changes of elsewhere) expect(isRaised({ offers: [offer(), offer(changes)] })).toBe(false)
  })

  test('behavior: is not raised if the calls were counted elsewhere', () => {
    expect(isRaised({ claims: { network: POLYGON } })).toBe(false)
    expect(isRaised({ claims: { asset: EURC } })).toBe(false)
  })
})

describe('receiver_sanctioned', () => {
  const NOW = T0 + 2 * DAY
  const CONTRACT = address('9')
  const asked = (isListed: boolean | null, hoursAgo: number, receiver = A) =>
    record(NOW - hoursAgo * HOUR, { address: receiver, sanctions: { contract: CONTRACT, isListed } })
  const judgeWith = (records: readonly ReceiverRecord[], offers = [offer()]) =>
    judge(
      stable().map((probe) => ({ ...probe, offers })),
      { now: NOW, recordsOf: (_, receiver) => records.filter((one) => one.address === receiver) },
    ).state

  test('default: an oracle lists the receiver', () => {
    const state = judgeWith([asked(true, 1)])
    expect(state).toMatchObject({ verdict: 'avoid', riskLevel: 'high', flags: ['receiver_sanctioned'] })
    expect(state.reasons).toMatchObject([{ code: 'receiver_sanctioned', evidence: [`r${NOW - HOUR}`] }])
  })

  test('behavior: is cleared by a clear answer only, and expires with its record', () => {
    expect(judgeWith([asked(true, 2), asked(null, 1)]).flags).toEqual(['receiver_sanctioned'])
    expect(judgeWith([asked(true, 2), asked(false, 1)]).flags).toEqual([])
    expect(judgeWith([asked(true, 8 * 24)]).flags).toEqual([])
  })

  test('behavior: the record that is shown gives the answer that the flag stands on', () => {
    const newest = asked(null, 1)
    const shown = findShownRecord([asked(true, 2), newest], NOW)
    expect(shown).toEqual({ ...newest, sanctions: { contract: CONTRACT, isListed: true } })
    expect(findShownRecord([asked(true, 8 * 24), asked(null, 1)], NOW)?.sanctions?.isListed).toBeNull()
    expect(findShownRecord([], NOW)).toBeUndefined()
  })

  test('behavior: an unknown answer raises nothing', () => {
    expect(judgeWith([asked(null, 1)]).flags).toEqual([])
    expect(judgeWith([record(NOW - HOUR)]).flags).toEqual([])
  })

  test('behavior: is raised for a second receiver too', () => {
    const offers = [offer(), offer({ payTo: B })]
    expect(judgeWith([asked(true, 1, B)], offers).flags).toContain('receiver_sanctioned')
  })

  test('behavior: is raised for the receiver of an official offer beside one that the guard can pay', () => {
    const inEurc = (payTo: string) => [
      offer(),
      offer({ asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', payTo }),
    ]
    expect(judgeWith([asked(true, 1, B)], inEurc(B)).flags).toEqual(['receiver_sanctioned'])
    expect(judgeWith([], inEurc(address('0'))).flags).toEqual(['receiver_unverified'])
    const unknownToken = [offer(), offer({ asset: address('c'), payTo: B })]
    expect(judgeWith([asked(true, 1, B)], unknownToken).flags).toContain('receiver_sanctioned')
  })
})
