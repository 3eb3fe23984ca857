import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { HOUR } from '../../domain/facts/times.ts'
import { documentOf, NOON } from '../../store/testing/records.ts'
import { createVerdictAnswers } from './createVerdictAnswers.ts'

let now = NOON
let signed = 0
beforeEach(() => {
  now = NOON
  signed = 0
})

const createAnswers = () =>
  createVerdictAnswers({
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

test('default: a recalled verdict equals a newly signed one at any later time', async () => {
  const answers = createAnswers()
  expect(answers.recall(endpoint, found)).toBeUndefined()
  const first = await answers.sign(endpoint, found)
  expect(first.verdict).toBe('safe')
  const later = fc.integer({ min: 0, max: 23 * HOUR - 60_000 })
  await fc.assert(
    fc.asyncProperty(later, async (ms) => {
      now = NOON + ms
      const recalled = answers.recall(endpoint, found)
      const { signature, ...described } = await createAnswers().sign(endpoint, found)
      expect(recalled).toEqual({ ...described, signature: first.signature })
      // Apart from the count, both sign the same decision.
      expect(signature?.split(' ').slice(0, 3)).toEqual(first.signature?.split(' ').slice(0, 3))
    }),
  )
})

test('behavior: a signed verdict is recalled only until time changes it', async () => {
  const answers = createAnswers()
  await answers.sign(endpoint, found)
  now = NOON + 23 * HOUR + 60_000
  expect(answers.recall(endpoint, found)).toBeUndefined()
  expect((await answers.sign(endpoint, found)).escalation.recommended).toBe(true)
  expect(answers.recall(endpoint, found)?.escalation.recommended).toBe(true)
  now = NOON + 47 * HOUR - 1
  expect(answers.recall(endpoint, found)).toBeDefined()
  now += 1
  expect(answers.recall(endpoint, found)).toBeUndefined()
  expect(await answers.sign(endpoint, found)).toMatchObject({ verdict: 'unknown', status: 'unmeasured' })
  expect(answers.recall(endpoint, found)).toBeUndefined()
})

test('behavior: a new state, another spelling and an unknown verdict are signed again', async () => {
  const answers = createAnswers()
  await answers.sign(endpoint, found)
  expect(answers.recall(endpoint, { state: { ...state }, match: 'exact' })).toBeUndefined()
  const template = { ...state, endpoint: 'https://a.example/{city}' }
  const byTemplate = { state: template, match: 'template' } as const
  await answers.sign('https://a.example/rome', byTemplate)
  expect(answers.recall('https://a.example/rome', byTemplate)).toBeUndefined()
  expect(answers.recall('https://a.example/oslo', byTemplate)).toBeUndefined()
  const unseen: EndpointState = {
    ...state,
    status: 'unmeasured',
    score: null,
    confirmedAt: null,
    expiresAt: null,
  }
  await answers.sign(endpoint, { state: unseen, match: 'exact' })
  expect(answers.recall(endpoint, { state: unseen, match: 'exact' })).toBeUndefined()
  expect((await answers.sign('https://b.example/', null)).known).toBe(false)
})
