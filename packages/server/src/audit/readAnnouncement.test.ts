import { aPayment, pickPayments } from '@touchstone402/transfers/testing'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { announcingAmount, rotationMessage } from '../facts/rotation.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { splitEpochs } from '../judge/epochs.ts'
import { BASE, confirmed, ENDPOINT, HOST, series, T0, up } from '../judge/testing/facts.ts'
import { clockAt } from '../testing/clockAt.ts'
import { countIds } from '../testing/countIds.ts'
import { type AnnouncementContext, readAnnouncements } from './readAnnouncement.ts'
import { CHECKS_PER_HOUR, createSignatureBudget } from './signatureBudget.ts'
import { QUIET } from './testing/quiet.ts'

const old = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const next = privateKeyToAccount(`0x${'02'.repeat(32)}`)
const swapAt = T0 + DAY
const { epochs } = splitEpochs([
  ...series(T0, 3, HOUR, (at, client) => up(at, { client, payTo: old.address })),
  ...confirmed(swapAt, next.address),
])
const [before, after] = epochs
if (before === undefined || after === undefined) throw new Error('two stretches')
const swap = { endpoint: ENDPOINT, before, after }
const validFrom = '2026-06-01T12:00:00Z'
const terms = { host: HOST, network: BASE, oldPayTo: old.address, newPayTo: next.address, validFrom }

const open = (
  document: (url: string) => string | null,
  chain: AnnouncementContext['chain'] = null,
  now = () => swapAt,
): AnnouncementContext => ({
  ...QUIET,
  prober: { document: async (url) => document(url) },
  chain,
  clock: clockAt(now),
  ids: countIds(),
  rotationChecks: createSignatureBudget({ now }),
  paidLookUps: new Map(),
})
const read = (document: string | null, chain: AnnouncementContext['chain'] = null) =>
  readAnnouncements(
    open((url) => (url === `https://${HOST}/.well-known/x402` ? document : null), chain),
    swap,
  )

const word = async (signer = old, signed: Partial<typeof terms> = {}) =>
  JSON.stringify({
    newPayTo: next.address,
    validFrom,
    signature: await signer.signMessage({ message: rotationMessage({ ...terms, ...signed }) }),
  })

/** Creates a chain with one transfer of `value` at a block, with two seconds per block. */
const chainWith = (
  value: bigint,
  time: number,
  from: string = old.address,
): AnnouncementContext['chain'] => ({
  blockAtOrBefore: async ({ time: seconds }) => ({
    number: Math.floor(seconds / 2),
    hash: '0x',
    time: seconds,
  }),
  blockTimes: async ({ blocks }) => new Map(blocks.map((block) => [block, block * 2])),
  payments: async (query) =>
    pickPayments([aPayment({ block: Math.floor(time / 2000), from, to: next.address, value })], query),
})

describe('readAnnouncements', () => {
  test('default', async () => {
    expect(await read(await word())).toMatchObject([
      {
        kind: 'announcement',
        host: HOST,
        network: BASE,
        newPayTo: next.address,
        validFrom: Date.parse(validFrom),
        basis: 'signature',
      },
    ])
  })

  test('behavior: accepts only the old receiver’s signature of exactly this rotation', async () => {
    expect(await read(await word(next))).toEqual([])
    expect(await read(await word(old, { host: 'other.example' }))).toEqual([])
    expect(await read(await word(old, { network: 'eip155:137' }))).toEqual([])
    expect(await read(await word(old, { newPayTo: old.address }))).toEqual([])
    expect(await read(await word(old, { validFrom: '2026-06-01T11:00:00Z' }))).toEqual([])
    expect(await read((await word()).replace('"0x', '"0x00'))).toEqual([])
    expect(await read(null)).toEqual([])
  })

  test('behavior: checks a bounded number of signatures of a host in an hour, of those alone that come in time', async () => {
    let time = swapAt
    let document = ''
    const ctx = open(
      () => document,
      null,
      () => time,
    )
    const [bad, good] = [JSON.parse(await word(next)), JSON.parse(await word())]
    const late = { ...bad, validFrom: '2026-07-01T12:00:00Z' }
    // Statements that come too late cost nothing.
    document = JSON.stringify({ rotations: Array(14).fill(late) })
    for (let reads = 0; reads < 10; reads++) expect(await readAnnouncements(ctx, swap)).toEqual([])
    document = JSON.stringify({ rotations: Array(15).fill(bad) })
    for (let reads = 0; reads * 15 < CHECKS_PER_HOUR; reads++)
      expect(await readAnnouncements(ctx, swap)).toEqual([])
    document = JSON.stringify({ rotations: [good] })
    expect(await readAnnouncements(ctx, swap)).toEqual([])
    // Another host is not affected.
    const elsewhere = { ...swap, endpoint: ENDPOINT.replace(HOST, 'other.example') }
    const message = rotationMessage({ ...terms, host: 'other.example' })
    document = JSON.stringify({ ...good, signature: await old.signMessage({ message }) })
    expect(await readAnnouncements(ctx, elsewhere)).toHaveLength(1)
    document = JSON.stringify(good)
    time += HOUR
    expect(await readAnnouncements(ctx, swap)).toHaveLength(1)
  })

  const exact = announcingAmount(terms)

  test('behavior: accepts the exact amount, paid by the old receiver beforehand', async () => {
    expect(exact).toBeLessThan(10_000n)
    expect(await read(null, chainWith(exact, swapAt - HOUR))).toMatchObject([
      {
        basis: 'payment_on_chain',
        validFrom: swapAt - HOUR,
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ])
  })

  test('behavior: rejects dust, ordinary funding, a later payment, and one by a third party', async () => {
    for (const value of [0n, 1n, exact - 1n, exact + 1n, 1_000_000n])
      expect(await read(null, chainWith(value, swapAt - HOUR))).toEqual([])
    expect(await read(null, chainWith(exact, swapAt + HOUR))).toEqual([])
    expect(await read(null, chainWith(exact, swapAt - 31 * DAY))).toEqual([])
    expect(await read(null, chainWith(exact, swapAt - HOUR, `0x${'77'.repeat(20)}`))).toEqual([])
  })

  test('behavior: abuse: no receiver can be chosen so that a refund of a round price announces it', () => {
    const amounts = Array.from({ length: 500 }, (_, n) =>
      announcingAmount({ ...terms, newPayTo: `0x${n.toString(16).padStart(40, '0')}` }),
    )
    expect(amounts.filter((amount) => amount % 10n === 0n || amount >= 10_000n)).toEqual([])
    expect(new Set(amounts).size).toBeGreaterThan(400)
    expect(announcingAmount({ ...terms, host: 'other.example' })).not.toBe(exact)
  })

  test('error: finds no announcement if the chain cannot be read', async () => {
    const broken = chainWith(exact, swapAt - HOUR)
    if (broken === null) throw new Error('a chain')
    const payments = () => Promise.reject(new Error('no answer'))
    expect(await read(null, { ...broken, payments })).toEqual([])
  })
})
