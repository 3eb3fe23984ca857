import { expect, test } from 'vitest'
import { startAuditor } from '../audit/testing/startAuditor.ts'
import { HOUR } from '../facts/times.ts'
import { SCORE_VERSION } from '../judge/spec.ts'
import { ENDPOINT, listing, T0 } from '../judge/testing/facts.ts'
import { systemClock } from '../lib/clock.ts'
import { readState } from '../store/endpoints.ts'
import { readObservations } from '../store/observations.ts'
import { describeRejudged, rejudgeEarlier } from './rejudgeEarlier.ts'

/** Audits an endpoint, and makes its state that of an earlier version of the score, which called it otherwise. */
async function upgrade({ scoreVersion = '1.2.0' } = {}) {
  const { auditor, store, advance, now } = startAuditor()
  await store.write('append', [listing(T0)])
  for (let probes = 0; probes < 4; probes++) {
    await auditor.probe(ENDPOINT)
    advance(5 * HOUR)
  }
  const { state } = (await readState(store, ENDPOINT)) ?? expect.fail('a state')
  await store.write('putEndpoint', {
    ...state,
    flags: ['flaky'],
    riskLevel: 'medium',
    verdict: 'caution',
    scoreVersion,
  })
  const errors: unknown[] = []
  const run = (signal = new AbortController().signal) =>
    rejudgeEarlier(
      { store, clock: { ...systemClock, now }, log: (_, message) => errors.push(message) },
      auditor,
      signal,
    )
  return { store, run, errors, auditor }
}

test('default: what an earlier version judged is judged again by the same probes, once', async () => {
  const { store, run, errors } = await upgrade()
  const found = await run()
  expect(found).toEqual({ judged: 1, changed: 1, versions: ['1.2.0'] })
  expect(describeRejudged(found)).toBe(
    `1 verdicts of score 1.2.0 were judged again by ${SCORE_VERSION}: 1 changed`,
  )
  expect((await readState(store, ENDPOINT))?.state).toMatchObject({
    verdict: 'safe',
    flags: [],
    scoreVersion: SCORE_VERSION,
  })
  expect(await readObservations(store, ENDPOINT)).toHaveLength(4)
  const again = await run()
  expect([again.judged, describeRejudged(again)]).toEqual([0, null])
  expect(errors).toEqual([])
})

test('behavior: what this version judged is left alone', async () => {
  const { store, run } = await upgrade({ scoreVersion: SCORE_VERSION })
  expect((await run()).judged).toBe(0)
  expect((await readState(store, ENDPOINT))?.state.verdict).toBe('caution')
})

test('behavior: ends early, and goes on over an endpoint that cannot be judged', async () => {
  const stopped = await upgrade()
  expect((await stopped.run(AbortSignal.abort())).judged).toBe(0)
  const { auditor, run, errors } = await upgrade()
  auditor.judge = () => Promise.reject(new Error('another process has the host'))
  expect((await run()).judged).toBe(0)
  expect(errors).toHaveLength(1)
})
