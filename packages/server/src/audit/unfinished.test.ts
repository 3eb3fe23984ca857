import { describe, expect, test } from 'vitest'
import { isUnmeasured } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { T0, termlessListing } from '../judge/testing/facts.ts'
import { cleanUpAfterEach } from '../probe/testing/harness.ts'
import { currentVerdict } from '../publish/verdict.ts'
import { whyUnknown } from '../publish/whyUnknown.ts'
import { readObservations } from '../store/observations.ts'
import { recomputeHost } from './recompute.ts'
import { startSeller } from './testing/startSeller.ts'

cleanUpAfterEach()

const OWN_FAULT = { outcome: 'not_measured', cause: 'own_fault' }
const UNREAD = { outcome: 'not_measured', cause: 'documents_unread' }

describe('an audit whose documents are unread', () => {
  test.each([
    ['a fault of ours', 'own_fault'],
    ['their own costs', 'unreadable'],
  ] as const)(
    'behavior: by %s is unfinished: the endpoint is unknown until they are read',
    async (_, unread) => {
      const { seller, endpoint, host, store, probe, now } = await startSeller()
      await store.write('append', [termlessListing(T0, { endpoint, host, url: endpoint })])
      seller.wellKnown = JSON.stringify({ resources: ['/quote'] })
      seller.unread = unread
      for (const least of [15 * MINUTE, 30 * MINUTE, HOUR]) {
        const state = await probe(HOUR)
        expect(state).toMatchObject({ status: 'unmeasured', confirmedAt: null, score: null, terms: [] })
        expect(currentVerdict(state, now()).verdict).toBe('unknown')
        expect(state.reasons).toMatchObject([{ code: 'documents_unread', severity: 'info' }])
        expect(whyUnknown(state, now())).toBe('unread')
        // Soon at first, and then in twice the time.
        expect(state.nextProbeAt - now()).toBeLessThanOrEqual(1.1 * least)
      }
      expect(await readObservations(store, endpoint)).toMatchObject([UNREAD, UNREAD, UNREAD])
      expect(await recomputeHost(store, host)).toMatchObject([{ isEqual: true }])

      seller.unread = null
      expect(await probe(HOUR)).toMatchObject({ status: 'live', verdict: 'safe', reasons: [] })
      expect(await recomputeHost(store, host)).toMatchObject([{ isEqual: true }])
    },
  )

  test('behavior: leaves a finished verdict alone', async () => {
    const { seller, store, endpoint, probe } = await startSeller()
    seller.wellKnown = JSON.stringify({ resources: ['/quote'] })
    expect(await probe(HOUR)).toMatchObject({ verdict: 'safe' })
    seller.unread = 'own_fault'
    expect(await probe(3 * HOUR)).toMatchObject({ verdict: 'safe' })
    expect(await readObservations(store, endpoint)).toMatchObject([{ outcome: 'up' }, { outcome: 'up' }])
  })

  test('behavior: measures nothing live, so that nothing is sold', async () => {
    const { seller, endpoint, store, auditor } = await startSeller()
    seller.wellKnown = JSON.stringify({ resources: ['/quote'] })
    seller.unread = 'own_fault'
    const { observations, state } = await auditor.probeLive(endpoint)
    expect([isUnmeasured(observations), state.verdict]).toEqual([true, 'unknown'])
    expect(await readObservations(store, endpoint)).toEqual([])
    seller.unread = null
    const found = await auditor.probeLive(endpoint)
    expect([isUnmeasured(found.observations), found.state.verdict]).toEqual([false, 'safe'])
  })
})

describe('a host whose wishes are unread by a fault of ours', () => {
  test.each(['scheduled', 'live'] as const)(
    'behavior: gets no %s probe, and stays unknown',
    async (purpose) => {
      const { seller, host, store, auditor, endpoint, probe } = await startSeller()
      await store.write('append', [termlessListing(T0, { endpoint, host, url: endpoint })])
      seller.isOutOfReach = true
      const state = purpose === 'live' ? (await auditor.probeLive(endpoint)).state : await probe(HOUR)
      expect(state).toMatchObject({ status: 'unmeasured', verdict: 'unknown' })
      expect(seller.asked).toEqual([])
      if (purpose === 'live') return
      expect(await readObservations(store, endpoint)).toMatchObject([{ ...OWN_FAULT, client: 'none' }])
      expect(await recomputeHost(store, host)).toMatchObject([{ isEqual: true }])
    },
  )

  test('behavior: keeps a finished verdict until it expires', async () => {
    const { seller, endpoint, now, store, auditor, probe, restart } = await startSeller()
    expect(await probe(HOUR)).toMatchObject({ verdict: 'safe' })
    // Nothing is known of earlier policies then.
    restart()
    seller.isOutOfReach = true
    expect(await probe(DAY)).toMatchObject({ status: 'live', verdict: 'safe', degraded: false })
    expect(await readObservations(store, endpoint)).toMatchObject([{ outcome: 'up' }, OWN_FAULT])
    const state = await probe(DAY)
    expect(currentVerdict(state, now()).verdict).toBe('unknown')
    expect(await auditor.judge(endpoint)).toMatchObject({ verdict: 'unknown' })
  })
})
