import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { type AnswerFacts, classifyAnswer } from './classifyAnswer.ts'
import { challengeV1, challengeV2 } from './testing/harness.ts'

const header = encodeBase64Json(challengeV2())
const json = JSON.stringify

function classify(status: number, facts: Partial<AnswerFacts> = {}): string {
  const { outcome, cause } = classifyAnswer({
    status,
    header: null,
    body: '',
    isTooLarge: false,
    isBotFilter: false,
    declaresInput: false,
    ...facts,
  })
  return `${outcome}/${cause}`
}

test('default', () => {
  expect(classify(402, { header })).toBe('up/challenge')
  expect(classify(402, { body: json(challengeV1()) })).toBe('up/challenge')
})

test('behavior: one readable version is enough beside a broken one', () => {
  expect(classify(402, { header: 'not base64!', body: json(challengeV1()) })).toBe('up/challenge')
})

test('behavior: a 402 without an offer is down', () => {
  expect(classify(402, { header: 'not base64!' })).toBe('down/challenge_malformed')
  expect(classify(402, { body: json({ ...challengeV1(), x402Version: 9 }) })).toBe('down/challenge_malformed')
  expect(classify(402, { body: json({ x402Version: 1, accepts: [{}] }) })).toBe('down/challenge_malformed')
  expect(classify(402, { body: json({ x402Version: 1, accepts: [] }) })).toBe('down/no_terms')
  expect(classify(402, { body: 'Payment required\n\nDEPLOYMENT_DISABLED' })).toBe('down/no_terms')
  expect(classify(402, { body: null })).toBe('down/no_terms')
  expect(classify(402, { body: null, isTooLarge: true })).toBe('down/too_large')
})

test('behavior: a v1 network that is not known here is no fault of the seller', () => {
  expect(classify(402, { body: json(challengeV1('sei')) })).toBe('not_measured/own_fault')
})

test('behavior: an answer without payment is down, whatever it carries', () => {
  expect([200, 201, 204].map((status) => classify(status, { header }))).toEqual(
    Array(3).fill('down/not_paid'),
  )
})

test('behavior: without declared input, a refusal to read the request measures nothing', () => {
  const statuses = [400, 404, 405, 415, 422]
  expect(statuses.map((status) => classify(status))).toEqual(Array(5).fill('not_measured/input_needed'))
  expect(statuses.map((status) => classify(status, { declaresInput: true }))).toEqual([
    'down/http_error',
    'down/not_found',
    'down/http_error',
    'down/http_error',
    'down/http_error',
  ])
  expect(classify(410)).toBe('down/not_found')
})

test('behavior: a block of the prober measures nothing', () => {
  const blocked = [401, 403, 429].map((status) => classify(status, { declaresInput: true }))
  expect(blocked).toEqual(Array(3).fill('not_measured/blocked'))
  expect(classify(503, { isBotFilter: true })).toBe('not_measured/blocked')
})

test('behavior: a fault of the server is down', () => {
  expect([500, 502, 503].map((status) => classify(status))).toEqual(Array(3).fill('down/server_error'))
})
