import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { HOUR } from '../../facts/times.ts'
import { documentOf, NOON } from '../../store/testing/records.ts'
import { createVerdictOf } from './createVerdictOf.ts'

let now = NOON
let signed = 0
beforeEach(() => {
  now = NOON
  signed = 0
})

const create = () =>
  createVerdictOf({
    signer: {
      sign: async (decision) => `${decision.endpoint} ${decision.seq} ${decision.expiresAt} ${++signed}`,
    },
    clock: { now: () => now },
    publicUrl: 'https://t.example',
    liveCheckPriceUsd: 0.005,
  })

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

test('default: a verdict that was signed before is answered at once, and equals a newly signed one', async () => {
  const verdictOf = create()
  const first = verdictOf(endpoint, found)
  expect(first).toBeInstanceOf(Promise)
  const { verdict, signature: firstSignature } = await first
  expect(verdict).toBe('safe')
  const later = fc.integer({ min: 0, max: 23 * HOUR - 60_000 })
  await fc.assert(
    fc.asyncProperty(later, async (ms) => {
      now = NOON + ms
      const { signature, ...described } = await create()(endpoint, found)
      expect(verdictOf(endpoint, found)).toEqual({ ...described, signature: firstSignature })
      // Apart from the count, both sign the same decision.
      expect(signature?.split(' ').slice(0, 3)).toEqual(firstSignature?.split(' ').slice(0, 3))
    }),
  )
})

test('behavior: a signature is kept only until time changes the decision', async () => {
  const verdictOf = create()
  await verdictOf(endpoint, found)
  now = NOON + 23 * HOUR + 60_000
  const again = verdictOf(endpoint, found)
  expect(again).toBeInstanceOf(Promise)
  expect((await again).escalation.recommended).toBe(true)
  expect(verdictOf(endpoint, found)).toMatchObject({ escalation: { recommended: true } })
  now = NOON + 47 * HOUR - 1
  expect(verdictOf(endpoint, found)).not.toBeInstanceOf(Promise)
  now += 1
  for (const _ of ['first', 'second']) {
    const expired = verdictOf(endpoint, found)
    expect(expired).toBeInstanceOf(Promise)
    expect(await expired).toMatchObject({ verdict: 'unknown', status: 'unmeasured' })
  }
})

test('behavior: a new state, another spelling and an unknown verdict are signed again', async () => {
  const verdictOf = create()
  await verdictOf(endpoint, found)
  expect(verdictOf(endpoint, { state: { ...state }, match: 'exact' })).toBeInstanceOf(Promise)
  const template = { ...state, endpoint: 'https://a.example/{city}' }
  const byTemplate = { state: template, match: 'template' } as const
  await verdictOf('https://a.example/rome', byTemplate)
  expect(verdictOf('https://a.example/rome', byTemplate)).toBeInstanceOf(Promise)
  const unseen: EndpointState = {
    ...state,
    status: 'unmeasured',
    score: null,
    confirmedAt: null,
    expiresAt: null,
  }
  await verdictOf(endpoint, { state: unseen, match: 'exact' })
  expect(verdictOf(endpoint, { state: unseen, match: 'exact' })).toBeInstanceOf(Promise)
  expect((await verdictOf('https://b.example/', null)).known).toBe(false)
})
