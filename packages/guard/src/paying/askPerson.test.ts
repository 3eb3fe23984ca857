import { canonicalizeUrl } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { budgetLimits, type LedgerView } from '../decide/budget.ts'
import { hostTerms } from '../decide/hosts.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { FRESH, run } from '../testing/decisions.ts'
import { aRequest } from '../testing/requests.ts'
import { questionFacts } from './askPerson.ts'
import { readRequest } from './calls/request.ts'
import type { JudgedCall } from './judge.ts'

const LIMITS = budgetLimits(parsePolicy(), {
  perCall: null,
  task: { name: 'job', usdMicros: 500_000n },
  agent: null,
})
/** A payment that is asked about. */
const judged = (view: Partial<LedgerView> = {}) => {
  const decision = run({ policy: { askAboveUsd: '0' }, state: null }) as JudgedCall['decision']
  const url = canonicalizeUrl('https://api.example.com/weather')
  const terms = hostTerms(parsePolicy(), url)
  return { query: aRequest(), url, terms, limits: LIMITS, decision, view: { ...FRESH, ...view } }
}
const URL_TEXT = 'https://api.example.com/'

test('default: what remains is the least of the budgets, and never below 0', async () => {
  const left = async (change: Partial<LedgerView>) =>
    (await questionFacts(judged(change), undefined)).remainingUsd
  expect(await left({})).toBe('0.5')
  expect(await left({ spentHostDay: 990_000n })).toBe('0.01')
  expect(await left({ spentDay: 6_000_000n })).toBe('0')
})

test('default: names the receiver and the usual price of before', async () => {
  const none = await questionFacts(judged(), undefined)
  expect(none.before).toEqual({ payTo: null, price: null })
  const before = async (view: Partial<LedgerView>) => (await questionFacts(judged(view), undefined)).before
  const dearestAtHost = { usdMicros: 50_000n, at: null }
  const usual = { usdMicros: 10_000n, at: 0 }
  expect(await before({ pinnedReceiver: '0xb1', usual, dearestAtHost })).toEqual({
    payTo: '0xb1',
    price: { usd: '0.01', isHere: true, paidAt: '1970-01-01T00:00:00.000Z' },
  })
  expect((await before({ dearestAtHost })).price).toEqual({ usd: '0.05', isHere: false, paidAt: null })
})

test('behavior: describes the body of every kind that can be read twice', async () => {
  const bodyOf = async (init: RequestInit) =>
    (await questionFacts(judged(), readRequest(URL_TEXT, { method: 'POST', ...init }))).body
  expect(await bodyOf({})).toBeNull()
  expect(await bodyOf({ body: 'order' })).toMatchObject({ bytes: 5, head: 'order' })
  expect(await bodyOf({ body: Buffer.from('order') })).toMatchObject({ bytes: 5, head: 'order' })
  expect(await bodyOf({ body: new Response('order').body })).toBeNull()
  const request = new Request(URL_TEXT, { method: 'POST', body: 'order' })
  expect((await questionFacts(judged(), readRequest(request, undefined))).body).toMatchObject({
    bytes: 5,
  })
})
