import { expect, test } from 'vitest'
import { createEvent, type EventParts } from '../events.ts'
import { createEventFilter } from './eventFilter.ts'

const DAY = 86_400_000
const aRefusal = (parts: Partial<EventParts> = {}, at = 0) =>
  createEvent({ type: 'refused', code: 'OVER_DAY_LIMIT', endpoint: 'https://a.example/x', ...parts }, at)

test('default: records equal refusals of a day at their first, tenth, hundredth time', () => {
  const count = createEventFilter()
  const recorded = Array.from({ length: 10_000 }, () => count(aRefusal())).filter((one) => one !== null)
  expect(recorded).toEqual([1, 10, 100, 1000, 10_000])
  expect([count(aRefusal({ code: 'STOPPED' })), count(aRefusal({}, DAY))]).toEqual([1, 1])
})

test('behavior: records at most a thousand lines a day for each agent', () => {
  const count = createEventFilter()
  const record = (agent: string | null, at = 0) =>
    Array.from({ length: 5000 }, (_, index) =>
      count(aRefusal({ agent, endpoint: `https://a.example/${index}` }, at)),
    ).filter((one) => one !== null).length
  expect(['a', 'b', null].map((agent) => record(agent))).toEqual([1000, 1000, 1000])
  expect([record('a'), record('a', DAY)]).toEqual([0, 1000])
})

test('behavior: records other events that cost nothing likewise, and those of payments each time', () => {
  const count = createEventFilter()
  const record = (type: EventParts['type']) =>
    Array.from({ length: 300 }, () => count(aRefusal({ type, code: null }))).filter((one) => one !== null)
      .length
  const types = [
    'unseen',
    'foreign_credential',
    'signed_in',
    'allowed',
    'settled',
    'unsettled',
    'resent',
  ] as const
  expect(types.map(record)).toEqual([3, 3, 3, 300, 300, 300, 300])
})
