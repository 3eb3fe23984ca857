import { expect, test } from 'vitest'
import { budgetLimits, type LedgerView } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { FRESH } from '../testing/decisions.ts'
import { readRequest } from './calls/request.ts'
import { questionFacts } from './questionFacts.ts'

const LIMITS = budgetLimits(parsePolicy(), {
  perCall: null,
  task: { name: 'job', usdMicros: 500_000n },
  agent: null,
})
const URL_TEXT = 'https://api.example.com/'

test('default: what remains is the least of the budgets, and never below 0', async () => {
  const left = async (change: Partial<LedgerView>) =>
    (await questionFacts({ ...FRESH, ...change }, LIMITS, undefined)).remainingUsd
  expect(await left({})).toBe('0.5')
  expect(await left({ spentHostDay: 990_000n })).toBe('0.01')
  expect(await left({ spentDay: 6_000_000n })).toBe('0')
})

test('default: names the receiver and the usual price of before', async () => {
  const none = await questionFacts(FRESH, LIMITS, undefined)
  expect(none.before).toEqual({ payTo: null, usualUsd: null })
  const known = { ...FRESH, pinnedReceiver: '0xb1', usualUsdMicros: 10_000n }
  expect((await questionFacts(known, LIMITS, undefined)).before).toEqual({ payTo: '0xb1', usualUsd: '0.01' })
})

test('behavior: describes the body of every kind that can be read twice', async () => {
  const bodyOf = async (init: RequestInit) =>
    (await questionFacts(FRESH, LIMITS, readRequest(URL_TEXT, { method: 'POST', ...init }))).body
  expect(await bodyOf({})).toBeNull()
  expect(await bodyOf({ body: 'order' })).toMatchObject({ bytes: 5, head: 'order' })
  expect(await bodyOf({ body: Buffer.from('order') })).toMatchObject({ bytes: 5, head: 'order' })
  expect(await bodyOf({ body: new Response('order').body })).toBeNull()
  const request = new Request(URL_TEXT, { method: 'POST', body: 'order' })
  expect((await questionFacts(FRESH, LIMITS, readRequest(request, undefined))).body).toMatchObject({
    bytes: 5,
  })
})
