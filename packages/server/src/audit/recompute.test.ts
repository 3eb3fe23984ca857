import { expect, test } from 'vitest'
import { foldDays } from '../facts/dailyMeasurements.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { A, address, B, ENDPOINT, HOST, judge, listing, series, T0, up } from '../judge/testing/facts.ts'
import { readState } from '../store/endpoints.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { recomputeHost } from './recompute.ts'
import { startAuditor } from './testing/startAuditor.ts'

async function audited() {
  const parts = startAuditor()
  for (let probes = 0; probes < 6; probes++) {
    if (probes === 4) parts.host.answer = () => ({ payTo: B })
    await parts.auditor.probe(ENDPOINT)
    parts.advance(5 * HOUR)
  }
  await parts.store.write('append', [listing(T0, { id: 'l2', category: 'weather' })])
  await parts.auditor.judge(ENDPOINT)
  return parts
}

test('default', async () => {
  const { store, advance } = await audited()
  expect(await recomputeHost(store, HOST)).toMatchObject([
    { endpoint: ENDPOINT, isEqual: true, differences: [] },
  ])
  // Later records do not change earlier judgements.
  advance(HOUR)
  await store.write('append', [up(T0 + 40 * HOUR, { payTo: address('c') })])
  expect(await recomputeHost(store, HOST)).toMatchObject([{ isEqual: true }])
})

test('behavior: reproduces a judgement that reads a part of all probes only', async () => {
  const { store, auditor, advance } = startAuditor()
  const old = series(T0 - 120 * DAY, 500, 4 * HOUR, (at, client) =>
    up(at, { client, payTo: at < T0 - 50 * DAY ? B : A, amount: at < T0 - 80 * DAY ? '9000' : '10000' }),
  )
  const { state, changes } = judge(old)
  const published = changes.map((change) => ({ kind: 'change' as const, id: change.id, at: T0, change }))
  await store.write('append', [listing(T0)])
  await store.write('putEndpoint', state, { facts: [...old, ...published], days: foldDays(old) })
  for (let probes = 0; probes < 3; probes++) {
    await auditor.probe(ENDPOINT)
    expect(await recomputeHost(store, HOST)).toMatchObject([{ isEqual: true, differences: [] }])
    advance(20 * DAY)
  }
  const { state: last } = (await readState(store, ENDPOINT)) ?? {}
  expect(last?.payToHistory.map(({ payTo }) => payTo)).toEqual([B, A])
  expect(last?.priceHistory.map(({ amountAtomic }) => amountAtomic)).toEqual(['9000', '10000'])
})

test('behavior: lists the fields that were altered', async () => {
  const { store } = await audited()
  const document = await readState(store, ENDPOINT)
  if (document === undefined) throw new Error('a document')
  await store.write('putEndpoint', { ...document.state, score: 12, flags: [], verdict: 'safe', priceUsd: 7 })
  const [recomputed] = (await recomputeHost(store, HOST)) ?? []
  expect(recomputed?.isEqual).toBe(false)
  expect(recomputed?.differences).toContainEqual({ field: 'priceUsd', stored: 7, recomputed: 0.01 })
  expect(recomputed?.differences.map(({ field }) => field)).toContain('score')
})

test('behavior: returns undefined for an unknown host', async () => {
  expect(await recomputeHost(createMemoryStore(), 'nowhere.example')).toBeUndefined()
})
