import type { Incident } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { recordId } from '../facts/ids.ts'
import { HOUR, MINUTE, toTimestamp } from '../facts/times.ts'
import { A, B, BASE, ENDPOINT, HOST, T0, termlessListing } from '../judge/testing/facts.ts'
import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { readAccusations } from './readAccusations.ts'
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

/** Opens the accusations of a store, of which none is read yet. */
const open = (store: Store, now = () => T0) => ({
  store,
  clock: { ...systemClock, now },
  accusations: { known: null },
})

const fact = (incident: Incident, at = T0) =>
  ({ kind: 'incident', id: `${incident.id} ${at}`, at, incident }) as const

test('default: reads open critical incidents of a host and of receivers, in any spelling', async () => {
  const { auditor, store } = startAuditor()
  await auditor.probe('https://thief.test/a')
  await store.write('append', [fact(theft()), fact(theft({ id: 'old', receiver: undefined }))])
  const reader: Parameters<typeof readAccusations>[0] = open(store)
  const upper = { network: BASE, payTo: `0x${A.slice(2).toUpperCase()}` }
  expect(await readAccusations(reader, HOST, [upper])).toMatchObject([
    { kind: 'honeypot', payTo: A, namedAt: T0 - HOUR },
  ])
  expect(await readAccusations(reader, 'thief.test', [])).toHaveLength(1)
  expect(await readAccusations(reader, HOST, [{ network: BASE, payTo: B }])).toEqual([])
})

test('behavior: caches for a minute, unless the cache is cleared', async () => {
  let now = T0
  const { auditor, store } = startAuditor()
  await auditor.probe('https://thief.test/a')
  const reader: Parameters<typeof readAccusations>[0] = open(store, () => now)
  expect(await readAccusations(reader, 'thief.test', [])).toEqual([])
  await store.write('append', [fact(theft())])
  expect(await readAccusations(reader, 'thief.test', [])).toEqual([])
  now += MINUTE
  expect(await readAccusations(reader, 'thief.test', [])).toHaveLength(1)
  await store.write('append', [fact(theft({ status: 'resolved' }), T0 + 1)])
  expect(await readAccusations(reader, 'thief.test', [])).toHaveLength(1)
  reader.accusations.known = null
  expect(await readAccusations(reader, 'thief.test', [])).toEqual([])
})

test('error: a store that cannot be read is asked again', async () => {
  const store = createMemoryStore()
  let isDown = true
  const flaky = withReads(store, 'incident', (rows) => {
    if (isDown) throw new Error('down')
    return rows
  })
  const reader: Parameters<typeof readAccusations>[0] = open(flaky)
  await expect(readAccusations(reader, HOST, [])).rejects.toThrow('down')
  isDown = false
  expect(await readAccusations(reader, HOST, [])).toEqual([])
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
