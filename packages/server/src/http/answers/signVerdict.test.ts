import { expect, test } from 'vitest'
import { aConfig } from '../../config/testing.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { HOUR, MINUTE } from '../../facts/times.ts'
import { systemClock } from '../../lib/clock.ts'
import { documentOf, NOON } from '../../store/testing/records.ts'
import { signVerdict } from './signVerdict.ts'

const state: EndpointState = {
  ...(documentOf('a.example', NOON).endpoints[0] as EndpointState),
  status: 'live',
  score: 90,
  lastChecked: NOON - HOUR,
  confirmedAt: NOON - HOUR,
  expiresAt: NOON + 47 * HOUR,
  derivedAt: NOON - HOUR,
}
const found = { state, match: 'exact' } as const
const { endpoint } = state

/** Signs at a time; the signature shows what was signed. */
const signAt = (now: number, of: Parameters<typeof signVerdict>[3] = found) =>
  signVerdict(
    { clock: { ...systemClock, now: () => now }, config: aConfig() },
    { sign: async (decision) => `${decision.verdict} ${decision.seq} ${decision.expiresAt}` },
    endpoint,
    of,
  )

test('default: the decision of a state is the same until time changes it', async () => {
  const first = await signAt(NOON)
  expect(first).toMatchObject({ verdict: 'safe', known: true, escalation: { recommended: false } })
  for (const later of [1, MINUTE, 12 * HOUR, 23 * HOUR - MINUTE])
    expect((await signAt(NOON + later)).signature).toBe(first.signature)
})

test('behavior: an old measurement recommends a live check, and an expired one is unknown at once', async () => {
  expect((await signAt(NOON + 23 * HOUR + MINUTE)).escalation.recommended).toBe(true)
  expect((await signAt(NOON + 47 * HOUR - 1)).verdict).toBe('safe')
  const expired = await signAt(NOON + 47 * HOUR)
  expect(expired).toMatchObject({ verdict: 'unknown', status: 'unmeasured' })
  expect(expired.signature).toContain(`unknown ${state.expiresAt} `)
})

test('behavior: what the index does not hold, and what was never measured, is unknown', async () => {
  expect(await signAt(NOON, null)).toMatchObject({ known: false, verdict: 'unknown' })
  const unseen = { ...state, status: 'unmeasured' as const, score: null, confirmedAt: null, expiresAt: null }
  expect(await signAt(NOON, { state: unseen, match: 'exact' })).toMatchObject({ verdict: 'unknown' })
})

test('behavior: names the leaf that covers the decision, unless the decision has expired', async () => {
  const logged = { ...found, logIndex: 7 }
  expect((await signAt(NOON, logged)).logIndex).toBe(7)
  expect((await signAt(NOON + 47 * HOUR, logged)).logIndex).toBeUndefined()
})

test('behavior: no time is ahead of the clock, though that of the process that probed is by some seconds', async () => {
  const ahead = { ...state, lastChecked: NOON + 30_000, derivedAt: NOON + 30_000 }
  const { ts, checkedAt } = await signAt(NOON, { state: ahead, match: 'exact' })
  expect([ts, checkedAt].map((time) => Date.parse(time ?? ''))).toEqual([NOON, NOON])
})
