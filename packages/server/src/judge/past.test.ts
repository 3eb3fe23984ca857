import { expect, test } from 'vitest'
import type { Observation } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import type { Judgement } from './judge.ts'
import { A, B, confirmed, down, judge, series, T0, unmeasured, up } from './testing/facts.ts'

/** Judges all probes, and later ones as a judge that reads only some of the newest. */
function judgeLater(first: readonly Observation[], later: readonly Observation[], more = {}): Judgement {
  const { state, changes, incidents } = judge(first)
  return judge(later, { isWhole: false, before: state, changes, incidents, ...more })
}

const steady = series(T0, 40, 3 * HOUR)
const end = T0 + 5 * DAY

test('default: a published change of receiver outlives the probes that showed it', () => {
  const swapped = [...steady, ...confirmed(end, B)]
  const after = series(end + DAY, 30, 3 * HOUR, (at, client) => up(at, { client, payTo: B }))
  const { state, changes } = judgeLater(swapped, after)
  expect(state).toMatchObject({ flags: ['payto_changed'], receiverStability: 'changed', payTo: B })
  expect(state.payToHistory).toEqual(judge([...swapped, ...after]).state.payToHistory)
  expect(changes).toEqual(judge(swapped).changes)
  // Only a probe that sees it stay clears it.
  expect(judgeLater(swapped, after, { now: end + 31 * DAY }).state.receiverStability).toBe('changed')
  const later = [...after, up(end + 31 * DAY, { payTo: B })]
  expect(judgeLater(swapped, later).state.receiverStability).toBe('stable')
})

test('behavior: a receiver that shows up after all known probes is not confirmed by their age', () => {
  const { state } = judgeLater(steady, [up(end + 95 * DAY, { payTo: B })])
  expect(state).toMatchObject({ payTo: A, verdict: 'caution', receiverUnconfirmed: true })
  expect(state.terms).toEqual(judge(steady).state.terms)
  const { changes } = judgeLater(steady, confirmed(end + 95 * DAY, B))
  expect(changes.map(({ kind }) => kind)).toEqual(['new_service', 'payto_swap'])
})

test('behavior: an odd probe at the edge of what is read is no change of receiver', () => {
  const odd = up(end, { payTo: B })
  const after = series(end + HOUR, 30, 3 * HOUR)
  const { state, changes } = judgeLater([...steady, odd, ...after], [odd, ...after])
  expect(state).toMatchObject({ flags: ['receiver_flickers'], receiverStability: 'stable' })
  expect(changes.map(({ kind }) => kind)).toEqual(['new_service'])
  // Nor where no state is known, only what was published.
  const alone = judge([odd, ...after], { isWhole: false, changes })
  expect(alone.state).toMatchObject({ flags: [], payTo: A })
  expect(alone.changes).toEqual(changes)
})

test('behavior: an endpoint that went dark before the first probe that is read is dark, and recovers', () => {
  const dark = [...steady, ...[0, 1, 2].map((n) => down(end + n * 20 * MINUTE))]
  const still = series(end + 3 * DAY, 100, DAY, (at) => down(at)).slice(-90)
  const later = judgeLater(dark, still)
  expect(later.state).toMatchObject({ status: 'dark', verdict: 'avoid', darkSince: end, payTo: A })
  expect(later.changes).toHaveLength(2)
  const back = [...still, up(end + 104 * DAY), up(end + 104 * DAY + HOUR)]
  const { state, changes } = judgeLater(dark, back)
  expect(state).toMatchObject({ status: 'live', darkSince: null })
  expect(changes.map(({ kind }) => kind)).toEqual(['new_service', 'service_gone_dark', 'service_recovered'])
})

test('behavior: an endpoint that first answers after its first probes are no longer read is new', () => {
  const silent = series(T0, 5, DAY, (at) => down(at))
  const later = [down(end + 95 * DAY), ...series(end + 96 * DAY, 2, HOUR)]
  const { state, changes } = judgeLater(silent, later)
  expect(state).toMatchObject({ status: 'live', payTo: A })
  expect(changes.map(({ kind }) => kind)).toEqual(['new_service'])
})

test('behavior: a removed route stays dark after its last success is no longer read', () => {
  const request = 'req_1'
  const gone = (at: number, client: string) =>
    unmeasured(at, { cause: 'input_needed', httpStatus: 404, request, client })
  const removed = [
    ...series(T0, 40, 3 * HOUR, (at, client) => up(at, { client, request })),
    ...series(end, 4, 12 * MINUTE, gone),
  ]
  const { state } = judgeLater(removed, series(end + 95 * DAY, 3, 3 * HOUR, gone))
  expect(state).toMatchObject({ status: 'dark', verdict: 'avoid', darkSince: end })
})

test('behavior: earlier prices stay in the history, and one that goes on is one period', () => {
  const dear = series(end, 20, 3 * HOUR, (at, client) => up(at, { client, amount: '30000' }))
  const all = [...steady, ...dear]
  expect(judgeLater(all, dear.slice(5)).state.priceHistory).toEqual(judge(all).state.priceHistory)
  const { priceHistory } = judgeLater(all, [...dear.slice(-3), up(end + 4 * DAY, { amount: '40000' })]).state
  expect(priceHistory.map(({ amountAtomic }) => amountAtomic)).toEqual(['10000', '30000', '40000'])
})

test('behavior: of very many probes the newest 2,000 of 90 days count', () => {
  const many = series(T0, 2100, HOUR / 2, (at, client) =>
    at < T0 + 50 * HOUR ? down(at) : up(at, { client }),
  )
  const { uptime } = judge(many).state
  expect(uptime).toMatchObject({ down: 0 })
  const rare = [...series(T0, 20, HOUR), ...series(T0 + 100 * DAY, 20, HOUR)]
  expect(judge(rare).state.lastChecked).toBe(rare.at(-1)?.at)
  expect(judge(rare).state.receiverStability).toBe('new')
})
