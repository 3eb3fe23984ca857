import { expect, test } from 'vitest'
import type { Announcement, Purchase } from '../../facts/facts.ts'
import { DAY } from '../../facts/times.ts'
import { readSummary } from '../../store/hosts.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW, sampleAddress } from '../testing/sampleServices.ts'
import { loadRecord, loadVerdict } from './loadProfile.ts'
import { readTimeline } from './timeline.ts'

async function load(host: string) {
  const deps = await createSampleDeps(samplesOf(host))
  const summary = await readSummary(deps.store, host)
  if (summary === undefined) throw new Error('no host')
  const verdict = await loadVerdict(deps, summary)
  const view = { ...verdict, ...(await loadRecord(deps, verdict)) }
  return { ...view, state: view.focus.state }
}

test('default: a timeline holds every day, price, receiver and incident of the endpoint, oldest first', async () => {
  const view = await load('llm.quickinfer.net')
  const { from, to, days, prices, receivers, pins } = readTimeline(view)
  expect((to - from) / DAY).toBe(59)
  expect(days).toHaveLength(view.days.length)
  expect(prices.map(({ usd }) => usd)).toEqual([0.008, 0.03])
  expect(receivers.map(({ color }) => color)).toEqual([0, 1])
  expect(receivers[0]?.to).toBe(receivers[1]?.from)
  expect(receivers.at(-1)?.to).toBe(SAMPLE_NOW)
  expect(pins.map(({ kind, text }) => [kind, text])).toContainEqual([
    'incident',
    '2026-11-21: Receiver changed, open',
  ])
  for (const spans of [days, prices, receivers])
    for (const span of spans) expect(span.from >= from && span.to <= to && span.from < span.to).toBe(true)
})

test('behavior: a day says how many of its probes succeeded, and one without any that counts has no share', async () => {
  const view = await load('data.coldharbor.org')
  const { days } = readTimeline(view)
  expect(days.find(({ date }) => date === '2026-11-18')).toMatchObject({
    share: 0.5,
    text: '2026-11-18: 2 of 4 probes succeeded',
  })
  const [day] = view.days
  if (day === undefined) throw new Error('no day')
  const missed = { ...day, up: 0, down: 0, notMeasured: 1 }
  expect(readTimeline({ ...view, days: [missed] }).days).toMatchObject([
    { share: null, outcome: '1 probe could not be made' },
  ])
})

test('behavior: at most 90 days are shown, and what began before is cut', async () => {
  const view = await load('llm.quickinfer.net')
  const state = { ...view.state, firstSeen: SAMPLE_NOW - 400 * DAY }
  const [period] = state.priceHistory
  if (period === undefined) throw new Error('no price')
  const old = { ...period, from: new Date(SAMPLE_NOW - 300 * DAY).toISOString(), to: null }
  const { from, to, prices } = readTimeline({ ...view, state: { ...state, priceHistory: [old] } })
  expect((to - from) / DAY).toBe(90)
  expect(prices).toMatchObject([{ from, to: SAMPLE_NOW }])
  expect(prices[0]?.text).toBe('$0.008 from 2026-01-25 to the last probe')
})

const purchase: Purchase = {
  kind: 'purchase',
  id: 'buy_1',
  at: SAMPLE_NOW - 40 * DAY,
  host: 'llm.quickinfer.net',
  endpoint: 'https://llm.quickinfer.net/v1/chat',
  network: 'eip155:8453',
  payTo: sampleAddress(1),
  amountAtomic: '10000',
  settled: true,
  delivered: true,
  txHash: null,
}

test('behavior: purchases that count are pins, and no other is held against the seller', async () => {
  const view = await load('llm.quickinfer.net')
  const purchases = [
    purchase,
    { ...purchase, delivered: false },
    { ...purchase, delivered: false, settled: false },
    { ...purchase, delivered: false, httpStatus: 400 },
  ]
  const { pins } = readTimeline({ ...view, purchases })
  expect(pins.flatMap(({ kind, text }) => (kind === 'incident' ? [] : `${kind} ${text}`))).toEqual([
    'delivered 2026-10-12: test purchase, delivered',
    'failed 2026-10-12: test purchase, paid, not delivered',
  ])
})

test('behavior: only the old receiver announces: a proof by the new one is no pin', async () => {
  const view = await load('llm.quickinfer.net')
  const [before, after] = view.state.payToHistory
  if (before === undefined || after === undefined) throw new Error('no change')
  const announcement: Announcement = {
    kind: 'announcement',
    id: 'ann_1',
    at: SAMPLE_NOW - 40 * DAY,
    host: view.host,
    network: 'eip155:8453',
    oldPayTo: before.payTo,
    newPayTo: after.payTo,
    validFrom: SAMPLE_NOW - 40 * DAY,
    basis: 'signature',
    txHash: null,
  }
  const pinsOf = (basis: Announcement['basis']) =>
    readTimeline({ ...view, announcements: [{ ...announcement, basis }] }).pins.filter(
      ({ kind }) => kind === 'announced',
    )
  expect(pinsOf('signature')).toMatchObject([{ text: expect.stringMatching(/^2026-10-12: receiver 0x/) }])
  for (const basis of ['receiver_proof', 'host_confirmed', 'funded_on_chain'] as const)
    expect(pinsOf(basis), basis).toEqual([])
})

test('behavior: an incident at another endpoint of the host is no pin of this one', async () => {
  const view = await load('llm.quickinfer.net')
  expect(view.incidents.length).toBeGreaterThan(1)
  const { pins } = readTimeline(view)
  expect(pins.filter(({ kind }) => kind === 'incident')).toHaveLength(1)
})

test('behavior: while nothing answers, no price and no receiver is drawn; one that rotates has no lane', async () => {
  const dark = await load('data.coldharbor.org')
  const { prices, receivers } = readTimeline(dark)
  expect([prices.at(-1)?.to, receivers.at(-1)?.to]).toEqual([dark.state.darkSince, dark.state.darkSince])
  const rotating = { ...dark.state, flags: ['payto_rotates' as const] }
  expect(readTimeline({ ...dark, state: rotating }).receivers).toEqual([])
})
