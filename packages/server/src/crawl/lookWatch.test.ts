import { expect, test } from 'vitest'
import type { Cause, Outcome } from '../facts/facts.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { anObservation, NOON } from '../store/testing/records.ts'
import { createLookWatch } from './lookWatch.ts'

function setUp() {
  const time = { now: NOON }
  const changes: (number | null)[] = []
  const watch = createLookWatch({ now: () => time.now }, (since) => changes.push(since))
  const look = (outcome: Outcome, cause: Cause, confirmedAt: number | null = null, tookMs = 10) => {
    const control = anObservation({ purpose: 'control', outcome: 'down', cause: 'not_found' })
    watch.add({ observations: [anObservation({ outcome, cause }), control], state: { confirmedAt } }, tookMs)
  }
  /** Looks once a minute. */
  const fail = (times: number, confirmedAt: number | null = null, cause: Cause = 'dns_failed') => {
    for (let index = 0; index < times; index++) {
      look('not_measured', cause, confirmedAt)
      time.now += MINUTE
    }
  }
  return { time, changes, watch, look, fail }
}

test('default: probing fails if all looks of five minutes failed on our side, until one succeeds', () => {
  const { changes, watch, look, fail } = setUp()
  look('up', 'challenge')
  fail(5, NOON)
  expect([watch.read().failingSince, changes]).toEqual([null, []])
  fail(1, NOON, 'own_fault')
  expect([watch.read().failingSince, changes]).toEqual([NOON, [NOON]])
  fail(3)
  expect(changes).toEqual([NOON])
  look('down', 'timeout')
  expect([watch.read().failingSince, changes]).toEqual([null, [NOON, null]])
})

test('behavior: few failed looks, or hosts whose names are gone, are no failure of probing', () => {
  const { time, watch, look, fail } = setUp()
  look('not_measured', 'own_fault')
  time.now += DAY
  fail(3)
  expect(watch.read().failingSince).toBeNull()
  look('up', 'challenge')
  fail(20, NOON - 2 * DAY)
  expect(watch.read().failingSince).toBeNull()
})

test('behavior: probing that never worked fails after five minutes', () => {
  const { watch, fail } = setUp()
  fail(6)
  expect(watch.read().failingSince).toBe(NOON)
})

test('behavior: hosts that opted out or refuse say nothing, or that probing works', () => {
  const { watch, look, fail } = setUp()
  fail(6)
  look('not_measured', 'opted_out')
  expect(watch.read().failingSince).toBe(NOON)
  look('not_measured', 'refused')
  expect(watch.read().failingSince).toBeNull()
})

test('behavior: keeps the slowest look of five minutes', () => {
  const { time, watch, look } = setUp()
  expect(watch.read().slowestLookMs).toBeNull()
  look('up', 'challenge', null, 700)
  look('up', 'challenge', null, 20)
  time.now += 4 * MINUTE
  look('up', 'challenge', null, 30)
  expect(watch.read().slowestLookMs).toBe(700)
  time.now += MINUTE
  expect(watch.read().slowestLookMs).toBe(30)
  time.now += 5 * MINUTE
  expect(watch.read().slowestLookMs).toBeNull()
})
