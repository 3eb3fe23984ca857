import { describe, expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { ENDPOINT, judge, offer, series, T0, unmeasured, up } from '../testing/facts.ts'
import { toRow } from './hostIndex.ts'
import { describeUnknown, describeVerdict } from './verdict.ts'
import { whyHostUnknown, whyUnknown } from './whyUnknown.ts'

const elsewhereOffers = [offer({ network: 'eip155:987654321' })]
const elsewhere = judge(
  series(T0, 3, HOUR, (at, client) => up(at, { client, offers: elsewhereOffers })),
).state
const unread = { cause: 'unsupported', httpStatus: 402, problems: ['network_unknown'] } as const
const unreadable = judge(series(T0, 3, HOUR, (at, client) => unmeasured(at, { client, ...unread }))).state
const refused = judge([unmeasured(T0)]).state
const declined = judge([unmeasured(T0, { cause: 'opted_out', httpStatus: null })]).state
const live = judge([up(T0)]).state
const now = T0 + 3 * HOUR
const toListedRow = (state: EndpointState) => ({ ...toRow(state), listedBy: ['host'] })

describe('whyUnknown', () => {
  test('default', () => {
    expect(whyUnknown(elsewhere, now)).toBe('elsewhere')
    expect(whyUnknown(unreadable, now)).toBe('elsewhere')
    expect(whyUnknown(live, T0 + 3 * DAY)).toBe('expired')
    expect([undefined, refused].map((state) => whyUnknown(state, now))).toEqual(['never', 'never'])
  })

  test('behavior: expires like any verdict', () => {
    expect(whyUnknown(elsewhere, T0 + 3 * DAY)).toBe('expired')
    expect(whyUnknown(unreadable, T0 + 3 * DAY)).toBe('never')
  })

  test('behavior: says that a host declines probes, until it is measured again', () => {
    expect(declined.reasons).toMatchObject([{ code: 'opted_out', severity: 'info' }])
    expect(whyUnknown(declined, now)).toBe('declined')
    expect(whyHostUnknown([declined, declined].map(toListedRow), now)).toBe('declined')
    expect(whyHostUnknown([declined, refused].map(toListedRow), now)).toBe('never')
    const again = [unmeasured(T0, { cause: 'opted_out', httpStatus: null }), up(T0 + HOUR)]
    expect(judge(again).state).toMatchObject({ reasons: [], verdict: 'safe' })
  })

  test('behavior: of a host, what another probe may change comes first', () => {
    expect(whyHostUnknown([elsewhere, unreadable].map(toListedRow), now)).toBe('elsewhere')
    expect(whyHostUnknown([elsewhere, refused].map(toListedRow), now)).toBe('never')
    expect(whyHostUnknown([refused, live].map(toListedRow), T0 + 3 * DAY)).toBe('expired')
  })

  test('rule 10: says that visitors alone named what was probed', () => {
    expect(whyHostUnknown([live, refused].map(toRow), now)).toBe('unlisted')
    expect(whyHostUnknown([toRow(live), toListedRow(refused)], now)).toBe('never')
  })
})

test('behavior: a live check is advised only where it may change an unknown verdict', () => {
  const context = { publicUrl: 'https://trust.example', liveCheckPriceUsd: 0.01, now }
  const known = describeVerdict(elsewhere, 'exact', ENDPOINT, context)
  expect(known).toMatchObject({ verdict: 'unknown', escalation: { recommended: false } })
  expect(known.advice).toMatch(/^Every offer is on a network/)
  expect(known.escalation.reason).toMatch(/^A live check cannot/)
  const later = { ...context, now: T0 + 3 * DAY + MINUTE }
  for (const body of [
    describeUnknown(ENDPOINT, context),
    describeVerdict(elsewhere, 'exact', ENDPOINT, later),
    describeVerdict(refused, 'exact', ENDPOINT, context),
  ]) {
    expect(body).toMatchObject({ verdict: 'unknown', escalation: { recommended: true } })
    expect(body.advice).toMatch(/make a live check/)
  }
  const none = describeVerdict(declined, 'exact', ENDPOINT, context)
  expect(none).toMatchObject({ riskLevel: 'unknown', escalation: { recommended: false } })
  expect(none.advice).toMatch(/declines probes/)
})
