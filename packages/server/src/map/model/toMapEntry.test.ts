import { expect, test } from 'vitest'
import { DAY, HOUR } from '../../facts/times.ts'
import { judge, T0, unmeasured, up } from '../../judge/testing/facts.ts'
import { swapAt, swapped } from '../../judge/testing/swap.ts'
import { toMapEntry } from './toMapEntry.ts'

test('rule 12: a host that declines probes at high risk stays in the map, as unknown', () => {
  const declined = [1, 2, 3, 4].map((day) =>
    unmeasured(swapAt + day * DAY, { cause: 'opted_out', httpStatus: null }),
  )
  const { state } = judge([...swapped, ...declined])
  const entry = toMapEntry(state, state.derivedAt)
  expect(entry).toMatchObject({ verdict: 'unknown', riskLevel: 'high', offers: [] })
  expect(toMapEntry(state, state.derivedAt + 49 * HOUR)).toBeNull()
})

test('behavior: what is unknown at no risk, or has expired, is left out', () => {
  const { state } = judge([up(T0)])
  expect(toMapEntry(state, T0 + HOUR)).toMatchObject({ verdict: 'safe' })
  expect(toMapEntry(state, T0 + 3 * DAY)).toBeNull()
  expect(toMapEntry(judge([unmeasured(T0)]).state, T0 + HOUR)).toBeNull()
})

test('rule 13: the map states deliveries, and nothing of other outcomes', () => {
  const { state } = judge([up(T0)])
  const delivered = { status: 'delivered', month: '2026-05', paidUsd: 0.01, reason: null } as const
  const entryOf = (delivery: typeof state.delivery) =>
    toMapEntry({ ...state, delivery: delivery ?? delivered }, T0 + HOUR)
  expect(entryOf(delivered)).toMatchObject({ delivered: { month: '2026-05', paidUsd: 0.01 } })
  for (const status of ['failed', 'never_bought', 'cannot_be_bought'] as const)
    expect(entryOf({ ...delivered, status })).not.toHaveProperty('delivered')
})
