import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { ENDPOINT, judge, offer, series, T0, unmeasured, up } from '../judge/testing/facts.ts'
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
    expect(whyHostUnknown([declined, declined].map(toRow), now)).toBe('declined')
    expect(whyHostUnknown([declined, refused].map(toRow), now)).toBe('never')
    const again = [unmeasured(T0, { cause: 'opted_out', httpStatus: null }), up(T0 + HOUR)]
    expect(judge(again).state).toMatchObject({ reasons: [], verdict: 'safe' })
  })

  test('behavior: of a host, what another probe may change comes first', () => {
    expect(whyHostUnknown([elsewhere, unreadable].map(toRow), now)).toBe('elsewhere')
    expect(whyHostUnknown([elsewhere, refused].map(toRow), now)).toBe('never')
    expect(whyHostUnknown([refused, live].map(toRow), T0 + 3 * DAY)).toBe('expired')
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
