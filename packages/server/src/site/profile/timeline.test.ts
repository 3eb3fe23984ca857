import { expect, test } from 'vitest'
import { DAY, HOUR } from '../../facts/times.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'
import { loadRecord, loadVerdict } from './loadProfile.ts'
import { readTimeline } from './timeline.ts'

async function load(host: string) {
  const deps = await createSampleDeps(samplesOf(host))
  const summary = await deps.store.summary(host)
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

test('behavior: purchases and announcements are pins, and a receiver that rotates has no lane', async () => {
  const view = await load('llm.quickinfer.net')
  const at = SAMPLE_NOW - 40 * DAY
  const purchase = { at, settled: true, delivered: true }
  const announcement = { validFrom: at + HOUR, newPayTo: `0x${'ab'.repeat(20)}` }
  const { pins, receivers } = readTimeline({
    ...view,
    purchases: [purchase, { ...purchase, delivered: false }],
    announcements: [announcement],
    state: { ...view.state, flags: ['payto_rotates'] },
  })
  expect(pins.slice(0, 3).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'delivered 2026-10-12: test purchase, delivered',
    'failed 2026-10-12: test purchase, paid, not delivered',
    'announced 2026-10-12: receiver 0xABaBaB…aBABaB announced',
  ])
  expect(receivers).toEqual([])
})

test('behavior: the same incident at several endpoints is one pin', async () => {
  const view = await load('llm.quickinfer.net')
  expect(view.incidents.length).toBeGreaterThan(1)
  const { pins } = readTimeline(view)
  expect(pins.filter(({ kind }) => kind === 'incident')).toHaveLength(1)
})
