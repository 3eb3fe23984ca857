import type { Incident } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { recordId } from '../facts/ids.ts'
import { HOUR, MINUTE, toTimestamp } from '../facts/times.ts'
import { A, B, BASE, ENDPOINT, HOST, T0, termlessListing } from '../judge/testing/facts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { createAccusationReader } from './readAccusations.ts'
import { recomputeHost } from './recompute.ts'
import { startAuditor } from './testing/startAuditor.ts'

const theft = (changes: Partial<Incident> = {}): Incident => ({
  id: recordId('inc', changes.id ?? 'theft'),
  kind: 'honeypot',
  severity: 'critical',
  status: 'open',
  host: 'thief.test',
  endpoint: 'https://thief.test/a',
  detectedAt: toTimestamp(T0),
  resolvedAt: null,
  summary: '2 test purchases settled without a delivery.',
  observations: [],
  receiver: { network: BASE, payTo: A, namedAt: toTimestamp(T0 - HOUR) },
  proof: { chain: BASE, blockNumber: null, explorerUrl: 'https://basescan.org' },
  proofUrl: 'https://basescan.org',
  ...changes,
})

const fact = (incident: Incident, at = T0) =>
  ({ kind: 'incident', id: `${incident.id} ${at}`, at, incident }) as const

test('default: reads open critical incidents of a host and of receivers, in any spelling', async () => {
  const { auditor, store } = startAuditor()
  await auditor.probe('https://thief.test/a')
  await store.write('append', [fact(theft()), fact(theft({ id: 'old', receiver: undefined }))])
  const reader = createAccusationReader(store, { now: () => T0 })
  const upper = { network: BASE, payTo: `0x${A.slice(2).toUpperCase()}` }
  expect(await reader.read(HOST, [upper])).toMatchObject([{ kind: 'honeypot', payTo: A, namedAt: T0 - HOUR }])
  expect(await reader.read('thief.test', [])).toHaveLength(1)
  expect(await reader.read(HOST, [{ network: BASE, payTo: B }])).toEqual([])
})

test('behavior: caches for a minute, unless the cache is cleared', async () => {
  let now = T0
  const { auditor, store } = startAuditor()
  await auditor.probe('https://thief.test/a')
  const reader = createAccusationReader(store, { now: () => now })
  expect(await reader.read('thief.test', [])).toEqual([])
  await store.write('append', [fact(theft())])
  expect(await reader.read('thief.test', [])).toEqual([])
  now += MINUTE
  expect(await reader.read('thief.test', [])).toHaveLength(1)
  await store.write('append', [fact(theft({ status: 'resolved' }), T0 + 1)])
  expect(await reader.read('thief.test', [])).toHaveLength(1)
  reader.forget()
  expect(await reader.read('thief.test', [])).toEqual([])
})

test('error: a store that cannot be read is asked again', async () => {
  const store = createMemoryStore()
  let isDown = true
  const flaky = withReads(store, 'incident', (rows) => {
    if (isDown) throw new Error('down')
    return rows
  })
  const reader = createAccusationReader(flaky, { now: () => T0 })
  await expect(reader.read(HOST, [])).rejects.toThrow('down')
  isDown = false
  expect(await reader.read(HOST, [])).toEqual([])
})

test('rule 11: another name with the receiver of an open incident is Avoid at its first probe, and recomputes', async () => {
  const { auditor, store, advance } = startAuditor()
  await auditor.probe('https://thief.test/a')
  await store.write('append', [fact(theft())])
  advance(2 * MINUTE)
  const endpoint = 'https://www.thief.test/b'
  await store.write('append', [termlessListing(T0, { endpoint, host: 'www.thief.test', url: endpoint })])
  const { state } = await auditor.probe(endpoint)
  expect(state).toMatchObject({ verdict: 'avoid', flags: ['receiver_flagged'] })
  expect(await recomputeHost(store, 'www.thief.test')).toMatchObject([{ isEqual: true }])
  // An honest seller that was paid before the thief named its receiver stays payable after a probe.
  expect((await auditor.probe(ENDPOINT)).state).toMatchObject({
    verdict: 'caution',
    flags: ['receiver_accused_elsewhere'],
  })
})
