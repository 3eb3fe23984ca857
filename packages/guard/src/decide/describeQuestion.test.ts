import { expect, test } from 'vitest'
import type { Question } from './ask.ts'
import { describeQuestion } from './describeQuestion.ts'

const QUESTION: Question = {
  intent: {
    url: 'https://api.example.com/orders?item=1',
    endpoint: 'https://api.example.com/orders',
    host: 'api.example.com',
    method: 'POST',
    network: 'eip155:8453',
    asset: '0xA5',
    payTo: '0xB0',
    scheme: 'exact',
    facilitator: null,
    amountAtomic: '90000',
    amountUsd: '0.09',
    maxTimeoutSeconds: 60,
  },
  code: 'PRICE_NOT_USUAL',
  reason: 'The price is not the usual one, and the payment was not approved.',
  verdict: null,
  details: null,
  before: { payTo: '0xb1', price: { usd: '0.01', isHere: true, paidAt: null } },
  remainingUsd: '1.99',
  body: { bytes: 1000, sha256: 'ab', head: 'begin', tail: 'end' },
}
const textOf = (change: Partial<Question> = {}) =>
  Object.fromEntries(describeQuestion({ ...QUESTION, ...change }))

test('default: shows what was paid before and what is asked now, the call with its body, and the budget', () => {
  expect(describeQuestion(QUESTION)).toEqual([
    ['Price now', '$0.09 (token 0xA5 on Base)'],
    ['Price before', 'usually $0.01'],
    ['Receiver now', '0xB0'],
    ['Receiver before', '0xb1: it has changed'],
    ['Call', 'POST https://api.example.com/orders?item=1'],
    ['Body', '1000 bytes, SHA-256 ab'],
    ['Body begins', 'begin'],
    ['Body ends', 'end'],
    ['Why', 'The price is not the usual one.'],
    ['Budget left', '$1.99'],
  ])
})

test('behavior: says that nothing was paid before, that the receiver is the same, and that there is no body', () => {
  expect(textOf({ before: { payTo: null, price: null }, body: null })).toMatchObject({
    'Price before': 'nothing was paid here',
    'Receiver before': 'none',
    Body: 'none, or a stream',
  })
  const get = textOf({ intent: { ...QUESTION.intent, method: 'GET' }, body: null })
  expect(get.Body).toBe('none')
  expect(textOf({ before: { payTo: '0xb0', price: null } })['Receiver before']).toBe('the same')
})

test('behavior: says when the price of before was paid, or that it was paid elsewhere at the host, and the values', () => {
  const before = (isHere: boolean) => ({
    before: { payTo: null, price: { usd: '0.5', isHere, paidAt: '2026-11-30T10:00:00.000Z' } },
    details: 'It was $0.50.',
  })
  expect(textOf(before(true))).toMatchObject({
    'Price before': 'usually $0.50, last on 2026-11-30',
    Why: 'The price is not the usual one. It was $0.50.',
  })
  expect(textOf(before(false))['Price before']).toBe(
    'nothing was paid here; at other endpoints of the host $0.50, last on 2026-11-30',
  )
})

test('error: escapes text of a seller and of an agent', () => {
  const { Call: call, 'Receiver now': receiver } = textOf({
    intent: { ...QUESTION.intent, url: 'https://x.example/\u202e\n', payTo: '0x\u001b[2K' },
  })
  expect([call, receiver]).toEqual(['POST https://x.example/\\u{202e}\\n', '0x\\u{1b}[2K'])
})
