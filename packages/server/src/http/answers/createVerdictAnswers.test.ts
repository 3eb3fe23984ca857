import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { documentOf, NOON } from '../../adapters/store/testing/records.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { HOUR } from '../../domain/facts/times.ts'
import { createVerdictAnswers, type VerdictAnswers } from './createVerdictAnswers.ts'

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

/** What lies ready, as it would be sent now. */
const recall = (answers: VerdictAnswers, asked: string, of: EndpointState): string | undefined => {
  const kept = answers.recall(asked, of)
  return kept && kept.representation.body + kept.ending(now).text
}

test('default: once signed it is written as it would be described, at any later time', async () => {
  const answers = createAnswers()
  expect(recall(answers, endpoint, state)).toBeUndefined()
  const first = await answers.sign(endpoint, found)
  expect(first.verdict).toBe('safe')
  const later = fc.integer({ min: 0, max: 23 * HOUR - 60_000 })
  await fc.assert(
    fc.asyncProperty(later, async (ms) => {
      now = NOON + ms
      const text = recall(answers, endpoint, state)
      const { signature, ...described } = await createAnswers().sign(endpoint, found)
      expect(JSON.parse(text ?? 'null')).toEqual({ ...described, signature: first.signature })
      // But for its count the other signature is over the same decision.
      expect(signature?.split(' ').slice(0, 3)).toEqual(first.signature?.split(' ').slice(0, 3))
    }),
  )
})

test('behavior: nothing that was written outlives its verdict, nor what else turns with time', async () => {
  const answers = createAnswers()
  await answers.sign(endpoint, found)
  now = NOON + 23 * HOUR + 60_000
  expect(recall(answers, endpoint, state)).toBeUndefined()
  expect((await answers.sign(endpoint, found)).escalation.recommended).toBe(true)
  expect(JSON.parse(recall(answers, endpoint, state) ?? 'null').escalation.recommended).toBe(true)
  now = NOON + 47 * HOUR - 1
  expect(recall(answers, endpoint, state)).toBeDefined()
  now += 1
  expect(recall(answers, endpoint, state)).toBeUndefined()
  expect(await answers.sign(endpoint, found)).toMatchObject({ verdict: 'unknown', status: 'unmeasured' })
  expect(recall(answers, endpoint, state)).toBeUndefined()
})

test('behavior: a new state, another endpoint and what is unknown are signed anew', async () => {
  const answers = createAnswers()
  await answers.sign(endpoint, found)
  expect(recall(answers, endpoint, { ...state })).toBeUndefined()
  const template = { ...state, endpoint: 'https://a.example/{city}' }
  await answers.sign('https://a.example/rome', { state: template, match: 'template' })
  expect(recall(answers, 'https://a.example/rome', template)).toBeUndefined()
  expect(recall(answers, 'https://a.example/oslo', template)).toBeUndefined()
  const unseen: EndpointState = {
    ...state,
    status: 'unmeasured',
    score: null,
    confirmedAt: null,
    expiresAt: null,
  }
  await answers.sign(endpoint, { state: unseen, match: 'exact' })
  expect(recall(answers, endpoint, unseen)).toBeUndefined()
  expect((await answers.sign('https://b.example/', undefined)).known).toBe(false)
})
