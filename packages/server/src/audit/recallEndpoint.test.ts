import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { B, ENDPOINT, listing, T0 } from '../judge/testing/facts.ts'
import { readState } from '../store/endpoints.ts'
import { recallEndpoint } from './recallEndpoint.ts'
import { startAuditor } from './testing/startAuditor.ts'

/** Audits an endpoint for a day; then the clock goes two days ahead, another receiver is seen there, and the clock is set back. */
async function setBack({ probesBefore = 6 } = {}) {
  const parts = startAuditor()
  const { auditor, store, host, advance } = parts
  await store.write('append', [listing(T0)])
  for (let probes = 0; probes < probesBefore; probes++) {
    await auditor.probe(ENDPOINT)
    advance(5 * HOUR)
  }
  const before = await readState(store, ENDPOINT)
  advance(2 * DAY)
  host.answer = () => ({ payTo: B })
  for (let probes = 0; probes < 4; probes++) {
    await auditor.probe(ENDPOINT)
    advance(10 * MINUTE)
  }
  const ahead = await readState(store, ENDPOINT)
  advance(-2 * DAY - 40 * MINUTE)
  return {
    ...parts,
    before,
    ahead,
    recall: (endpoint: string) => recallEndpoint(store, endpoint, { now: parts.now }),
  }
}

test('default: in place of a verdict from the future, the last one before now', async () => {
  const { before, ahead, recall, now } = await setBack()
  expect(ahead?.state.derivedAt).toBeGreaterThan(now() + DAY)
  const recalled = await recall(ENDPOINT)
  const said = (state: EndpointState | undefined) =>
    state && [state.verdict, state.score, state.flags, state.terms, state.lastChecked, state.confirmedAt]
  expect(said(recalled?.state)).toEqual(said(before?.state))
  const { derivedAt, lastChecked, firstSeen } = recalled?.state ?? {}
  for (const time of [derivedAt, lastChecked, firstSeen]) expect(time).toBeLessThanOrEqual(now())
  expect(JSON.stringify(recalled?.state.terms)).not.toContain(B)
})

test('behavior: a listing that was read again meanwhile counts as before', async () => {
  const { store, recall, before, now } = await setBack()
  await store.write('append', [listing(now() + 2 * DAY, { id: 'later', title: 'Later' })])
  const recalled = await recall(ENDPOINT)
  expect(recalled?.state.listedBy).toEqual(before?.state.listedBy)
  for (const { at } of recalled?.state.listings ?? []) expect(at).toBeLessThanOrEqual(now())
})

test('behavior: an endpoint without a probe before now has no state', async () => {
  const { recall } = await setBack({ probesBefore: 0 })
  expect(await recall(ENDPOINT)).toBeUndefined()
})

test('behavior: a probe after the clock was set back ends it, and so does the time', async () => {
  const { recall, auditor, store, advance, host, ahead } = await setBack()
  host.answer = () => ({})
  await auditor.probe(ENDPOINT)
  expect(await recall(ENDPOINT)).toEqual(await readState(store, ENDPOINT))
  await store.write('putEndpoint', ahead?.state ?? expect.fail('a state'))
  advance(3 * DAY)
  expect((await recall(ENDPOINT))?.state).toEqual(ahead?.state)
})

test('behavior: a state that is ahead by the difference of two clocks is as it was stored', async () => {
  const { store, advance, auditor, now } = startAuditor()
  await auditor.probe(ENDPOINT)
  advance(-MINUTE)
  const recall = (endpoint: string) => recallEndpoint(store, endpoint, { now })
  expect(await recall(ENDPOINT)).toEqual(await readState(store, ENDPOINT))
  advance(-1)
  expect(await recall(ENDPOINT)).toBeUndefined()
})
