import { expect, test } from 'vitest'
import type { Cause, Outcome } from '../facts/facts.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { anObservation, NOON } from '../store/testing/records.ts'
import { createProbeWatch } from './probeWatch.ts'

function setUp() {
  const time = { now: NOON }
  const changes: (number | null)[] = []
  const watch = createProbeWatch({
    clock: { ...systemClock, now: () => time.now },
    log: (_, __, { since }) => changes.push(typeof since === 'string' ? Date.parse(since) : null),
  })
  const probe = (outcome: Outcome, cause: Cause, confirmedAt: number | null = null, tookMs = 10) => {
    const control = anObservation({ purpose: 'control', outcome: 'down', cause: 'not_found' })
    watch.add({ observations: [anObservation({ outcome, cause }), control], state: { confirmedAt } }, tookMs)
  }
  /** Probes once a minute. */
  const fail = (times: number, confirmedAt: number | null = null, cause: Cause = 'dns_failed') => {
    for (let index = 0; index < times; index++) {
      probe('not_measured', cause, confirmedAt)
      time.now += MINUTE
    }
  }
  return { time, changes, watch, probe, fail }
}

test('default: probing fails if all probes of five minutes failed on our side, until one succeeds', () => {
  const { changes, watch, probe, fail } = setUp()
  probe('up', 'challenge')
  fail(5, NOON)
  expect([watch.read().failingSince, changes]).toEqual([null, []])
  fail(1, NOON, 'own_fault')
  expect([watch.read().failingSince, changes]).toEqual([NOON, [NOON]])
  fail(3)
  expect(changes).toEqual([NOON])
  probe('down', 'timeout')
  expect([watch.read().failingSince, changes]).toEqual([null, [NOON, null]])
})

test('behavior: few failed probes, or hosts whose names are gone, are no failure of probing', () => {
  const { time, watch, probe, fail } = setUp()
  probe('not_measured', 'own_fault')
  time.now += DAY
  fail(3)
  expect(watch.read().failingSince).toBeNull()
  probe('up', 'challenge')
  fail(20, NOON - 2 * DAY)
  expect(watch.read().failingSince).toBeNull()
})

test('behavior: probing that never worked fails after five minutes', () => {
  const { watch, fail } = setUp()
  fail(6)
  expect(watch.read().failingSince).toBe(NOON)
})

test('behavior: hosts that opted out or refuse say nothing, or that probing works', () => {
  const { watch, probe, fail } = setUp()
  fail(6)
  probe('not_measured', 'opted_out')
  expect(watch.read().failingSince).toBe(NOON)
  probe('not_measured', 'refused')
  expect(watch.read().failingSince).toBeNull()
})

test('behavior: keeps the slowest probe of five minutes', () => {
  const { time, watch, probe } = setUp()
  expect(watch.read().slowestProbeMs).toBeNull()
  probe('up', 'challenge', null, 700)
  probe('up', 'challenge', null, 20)
  time.now += 4 * MINUTE
  probe('up', 'challenge', null, 30)
  expect(watch.read().slowestProbeMs).toBe(700)
  time.now += MINUTE
  expect(watch.read().slowestProbeMs).toBe(30)
  time.now += 5 * MINUTE
  expect(watch.read().slowestProbeMs).toBeNull()
})
