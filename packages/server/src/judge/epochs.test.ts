import { describe, expect, test } from 'vitest'
import type { Announcement, ObservedOffer } from '../facts/facts.ts'
import { HOUR } from '../facts/times.ts'
import { isAnnounced } from './announced.ts'
import { splitEpochs } from './epochs.ts'
import { addressesOf } from './offers.ts'
import {
  A,
  B,
  BASE,
  C,
  confirmed,
  HOST,
  offer,
  POLYGON,
  POLYGON_USDC,
  SEPOLIA,
  SEPOLIA_USDC,
  series,
  T0,
  up,
} from './testing/facts.ts'

const showing =
  (...offers: ObservedOffer[]) =>
  (at: number, client: string) =>
    up(at, { client, offers })
const onPolygon = (payTo: string) => offer({ network: POLYGON, asset: POLYGON_USDC, payTo })
const later = T0 + 10 * HOUR
const receiversOf = (probes: ReturnType<typeof up>[]) =>
  splitEpochs(probes).epochs.map((epoch) => [...addressesOf(epoch.receivers)].sort())

describe('splitEpochs', () => {
  test('default', () => {
    const { epochs, pending } = splitEpochs([...series(T0, 4, HOUR), ...confirmed(later, B)])
    expect(epochs.map(({ from, probes: { length } }) => [from, length])).toEqual([
      [T0, 4],
      [later, 12],
    ])
    expect(pending).toEqual([])
  })

  test('behavior: ignores a single different probe, eleven, or twelve by one client', () => {
    const before = series(T0, 4, HOUR)
    expect(splitEpochs([...before, up(later, { payTo: B })])).toMatchObject({ epochs: [{}], pending: [{}] })
    expect(splitEpochs([...before, ...confirmed(later, B).slice(1)]).epochs).toHaveLength(1)
    const alone = confirmed(later, B).map((probe) => ({ ...probe, client: 'touchstone' }))
    expect(splitEpochs([...before, ...alone]).epochs).toHaveLength(1)
  })

  test('behavior: a probe at the old receiver resets the pending change', () => {
    const probes = [...series(T0, 4, HOUR), ...confirmed(later, B).slice(3), up(later + HOUR)]
    expect(splitEpochs(probes).pending).toEqual([])
    expect(splitEpochs([...probes, ...confirmed(later + 2 * HOUR, B).slice(3)]).epochs).toHaveLength(1)
  })

  test('behavior: adding a receiver and dropping the old one later is a change', () => {
    const both = showing(offer(), offer({ payTo: B }))
    const probes = [...series(T0, 4, HOUR), ...series(later, 14, HOUR, both), ...confirmed(T0 + 30 * HOUR, B)]
    expect(receiversOf(probes)).toEqual([[A], [B]])
  })

  test('behavior: added networks are not a change, and dropping the first one soon is', () => {
    const two = showing(offer(), onPolygon(C))
    const added = [...series(T0, 4, HOUR), ...series(later, 14, HOUR, two)]
    expect(receiversOf(added)).toEqual([[A]])
    const dropped = [...added, ...series(T0 + 30 * HOUR, 14, HOUR, showing(onPolygon(C)))]
    expect(receiversOf(dropped)).toEqual([[A], [C]])
  })

  test('behavior: a network whose receiver stood beside the first one for 30 days may replace it', () => {
    const two = showing(offer(), onPolygon(C))
    const together = series(later, 31, 24 * HOUR, two)
    const dropped = series(T0 + 32 * 24 * HOUR, 14, HOUR, showing(onPolygon(C)))
    expect(receiversOf([...series(T0, 4, HOUR), ...together, ...dropped])).toEqual([[A, C]])
    // In a row: a receiver that comes and goes does not stand.
    const gap = [...together.slice(0, 15), up(later + 14.5 * 24 * HOUR), ...together.slice(15)]
    expect(receiversOf([...series(T0, 4, HOUR), ...gap, ...dropped])).toHaveLength(2)
  })

  test('behavior: networks of the first probe may be dropped, and the same address may move', () => {
    const two = showing(offer(), onPolygon(C))
    expect(
      receiversOf([...series(T0, 4, HOUR, two), ...series(later, 14, HOUR, showing(onPolygon(C)))]),
    ).toEqual([[A, C]])
    expect(
      receiversOf([...series(T0, 4, HOUR), ...series(later, 14, HOUR, showing(onPolygon(A)))]),
    ).toHaveLength(1)
  })

  test('behavior: on each kind of chain a receiver of the beginning has to stay', () => {
    const solana = offer({
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: 'EPj',
      payTo: 'Seller',
    })
    const probes = [
      ...series(T0, 4, HOUR, showing(offer(), solana)),
      ...series(later, 14, HOUR, showing(onPolygon(B), solana)),
    ]
    expect(receiversOf(probes)).toHaveLength(2)
  })

  test('behavior: another receiver on one of two networks is a change', () => {
    const probes = [
      ...series(T0, 4, HOUR, showing(offer(), onPolygon(C))),
      ...series(later, 14, HOUR, showing(offer({ payTo: B }), onPolygon(C))),
    ]
    expect(receiversOf(probes)).toEqual([
      [A, C],
      [B, C],
    ])
  })

  test('behavior: ignores a testnet beside a mainnet', () => {
    const test = (payTo: string) => offer({ network: SEPOLIA, asset: SEPOLIA_USDC, payTo })
    const probes = [
      ...series(T0, 4, HOUR, showing(test(B), offer())),
      ...series(later, 14, HOUR, showing(test(C), offer())),
    ]
    expect(receiversOf(probes)).toEqual([[A]])
  })
})

describe('isAnnounced', () => {
  const { epochs } = splitEpochs([...series(T0, 4, HOUR), ...confirmed(later, B)])
  const [before, after] = epochs
  const word = (changes: Partial<Announcement> = {}): Announcement => ({
    kind: 'announcement',
    id: 'a1',
    at: later,
    host: HOST,
    network: BASE,
    oldPayTo: A.toUpperCase().replace('0X', '0x'),
    newPayTo: B,
    validFrom: later,
    basis: 'signature',
    txHash: null,
    ...changes,
  })
  const holds = (...words: Announcement[]) =>
    before !== undefined && after !== undefined && isAnnounced(before, after, words)

  test('default', () => {
    expect(holds(word())).toBe(true)
    expect(holds()).toBe(false)
  })

  test('behavior: only the old receiver speaks: not a proof of the new one, nor any payment on chain', () => {
    expect(holds(word({ basis: 'payment_on_chain' }))).toBe(true)
    for (const basis of ['receiver_proof', 'funded_on_chain', 'host_confirmed'] as const)
      expect(holds(word({ basis, expiresAt: later + HOUR }))).toBe(false)
  })

  test('behavior: requires the old receiver, the new one, its network and a valid time', () => {
    expect(holds(word({ oldPayTo: C }))).toBe(false)
    expect(holds(word({ newPayTo: C }))).toBe(false)
    // An EVM address is one on all EVM networks.
    expect(holds(word({ network: POLYGON }))).toBe(true)
    expect(holds(word({ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }))).toBe(false)
    expect(holds(word({ validFrom: later + 1 }))).toBe(false)
  })
})
