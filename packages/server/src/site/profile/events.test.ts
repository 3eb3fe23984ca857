import type { Change, Incident, Reason } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { groupEvents, placeUnder } from './events.ts'
import type { Finding } from './finding.ts'

const A = 'https://a.example/a'
const B = 'https://a.example/b'

const finding = (code: string, endpoints: readonly string[], evidence: string[] = []) =>
  ({
    code,
    severity: 'critical' as Reason['severity'],
    message: '',
    evidence,
    endpoints,
    observations: [],
  }) as unknown as Finding

const incident = (id: string, endpoint: string, more: Partial<Incident> = {}) =>
  ({
    id,
    kind: 'receiver_hijack',
    status: 'open',
    endpoint,
    detectedAt: '2026-11-27T10:00:00.000Z',
    ...more,
  }) as Incident

const change = (id: string, endpoint: string, kind: Change['kind'] = 'payto_swap') =>
  ({ id, kind, endpoint, at: '2026-11-26T10:00:00.000Z' }) as Change

test('default: a finding, its open incident and its change are one event, dated by the first of them', () => {
  const { events, over } = groupEvents(
    [finding('payto_changed', [A, B])],
    [incident('inc_1', A), change('chg_1', B), change('chg_2', A, 'price_jump')],
  )
  expect(events).toHaveLength(1)
  expect(events[0]).toMatchObject({
    title: 'Receiver changed',
    date: '2026-11-26',
    incidents: [{ id: 'inc_1' }],
    changes: [{ id: 'chg_1' }],
  })
  expect(over.map(({ id }) => id)).toEqual(['chg_2'])
})

test('behavior: findings that rest on the same incident are one event with all that they cite; what is open and told by none stands', () => {
  const { events, over, standing } = groupEvents(
    [
      finding('payto_changed', [A]),
      finding('receiver_flagged', [B], ['inc_1', 'inc_2']),
      finding('slow', [B]),
    ],
    [
      incident('inc_1', A),
      incident('inc_2', B, { kind: 'honeypot' }),
      incident('inc_3', B, { kind: 'bait_and_switch' }),
      incident('inc_0', A, { status: 'resolved' }),
    ],
  )
  expect(events.map(({ findings }) => findings.map(({ code }) => code))).toEqual([
    ['payto_changed', 'receiver_flagged'],
    ['slow'],
  ])
  expect(events[0]?.incidents.map(({ id }) => id)).toEqual(['inc_1', 'inc_2'])
  expect(events[1]?.date).toBeUndefined()
  expect(standing.map(({ id }) => id)).toEqual(['inc_3'])
  expect(over.map(({ id }) => id)).toEqual(['inc_0'])
})

test('behavior: what an owner says stands once, under the worst event that it is about', () => {
  const { events } = groupEvents(
    [finding('payto_changed', [A]), finding('slow', [A, B])],
    [incident('inc_1', A)],
  )
  const said = [
    { id: 'host', endpoint: null, incident: null },
    { id: 'a', endpoint: A, incident: null },
    { id: 'b', endpoint: B, incident: null },
    { id: 'incident', endpoint: null, incident: 'inc_1' },
    { id: 'over', endpoint: null, incident: 'inc_0' },
  ]
  const { under, left } = placeUnder(events, said)
  expect(events.map((event) => under(event).map(({ id }) => id))).toEqual([['host', 'a', 'incident'], ['b']])
  expect(left.map(({ id }) => id)).toEqual(['over'])
})
