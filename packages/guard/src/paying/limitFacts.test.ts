import { expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { BUDGET_CODES, type ReasonCode } from '../reasons.ts'
import { explainLimit, limitFacts } from './limitFacts.ts'

const DAY_MS = 86_400_000
const sum = { spent: 400_000n, reserved: 50_000n, oldestAt: 1000 }
const policy = parsePolicy({ maxPerReceiverPerDayUsd: '0.50', maxTotalUsd: '9.00' })
const payment = {
  policy,
  usdMicros: 10_000n,
  limits: budgetLimits(
    policy,
    { perCall: 20_000n, task: { name: 'job', usdMicros: 500_000n }, agent: null },
    true,
  ),
  summary: {
    day: new Map(
      ['day', 'unknown', 'host a.example', 'payTo 0xab', 'unknown a.example'].map((key) => [key, sum]),
    ),
    total: { spent: 400_000n, reserved: 50_000n },
    tasks: new Map([['job', 450_000n]]),
  },
  host: 'a.example',
  domain: 'a.example',
  payTo: '0xAB',
  task: 'job',
  now: 5000,
  struckUntil: 9000,
}

test('default: every budget refusal tells its limit and what is left of it', () => {
  const resetsAt = new Date(1000 + DAY_MS).toISOString()
  const ofMinute = { remaining: 0, resetsAt: new Date(65_000).toISOString() }
  expect(Object.fromEntries(BUDGET_CODES.map((code) => [code, limitFacts(code, payment)]))).toEqual({
    OVER_CALL_LIMIT: { setting: 'maxUsd of the call', limit: '0.02', remaining: '0.02' },
    OVER_PAYMENT_LIMIT: { setting: 'maxPerPaymentUsd', limit: '1', remaining: '1' },
    OVER_TASK_LIMIT: { setting: 'maxUsd of the task', limit: '0.5', remaining: '0.05' },
    OVER_HOST_DAY_LIMIT: { setting: 'maxPerHostPerDayUsd', limit: '1', remaining: '0.55', resetsAt },
    OVER_RECEIVER_DAY_LIMIT: {
      setting: 'maxPerReceiverPerDayUsd',
      limit: '0.5',
      remaining: '0.05',
      resetsAt,
    },
    OVER_DAY_LIMIT: { setting: 'maxPerDayUsd', limit: '5', remaining: '4.55', resetsAt },
    OVER_TOTAL_LIMIT: { setting: 'maxTotalUsd', limit: '9', remaining: '8.55' },
    OVER_UNKNOWN_DOMAIN_LIMIT: {
      setting: 'onUnknown.maxPerDomainPerDayUsd',
      limit: '0.1',
      remaining: '0',
      resetsAt,
    },
    OVER_UNKNOWN_DAY_LIMIT: { setting: 'onUnknown.maxPerDayUsd', limit: '0.5', remaining: '0.05', resetsAt },
    OVER_NEW_SELLER_LIMIT: { setting: 'newSeller.perCallUsd', limit: '0.1', remaining: '0.1' },
    OVER_NEW_SELLER_DAY_LIMIT: { setting: 'newSeller.perDayUsd', limit: '0.5', remaining: '0.05', resetsAt },
    OVER_NEW_SELLERS_DAY_LIMIT: {
      setting: 'newSeller.allPerDayUsd',
      limit: '1',
      remaining: '0.55',
      resetsAt,
    },
    TOO_MANY_PAYMENTS: { setting: 'velocity.perHostPerMinute', limit: 30, ...ofMinute },
    PAYMENT_LOOP: { setting: 'velocity.identicalPerMinute', limit: 20, ...ofMinute },
  })
  expect(limitFacts('VERDICT_AVOID', payment)).toEqual({})
  expect(limitFacts('NO_DELIVERY_STRIKE', payment)).toEqual({ resetsAt: '1970-01-01T00:00:09.000Z' })
})

test('behavior: no time is named at which a payment above the whole limit could succeed', () => {
  const dear = { ...payment, usdMicros: 1_000_001n }
  expect(limitFacts('OVER_HOST_DAY_LIMIT', dear)).not.toHaveProperty('resetsAt')
  expect(limitFacts('OVER_DAY_LIMIT', dear)).toHaveProperty('resetsAt')
})

test('default: a refusal says the price, the limit and what is left in figures', () => {
  const explain = (code: ReasonCode) => explainLimit(2_500_000n, 'a.example', limitFacts(code, payment))
  expect(explain('OVER_PAYMENT_LIMIT')).toBe('$2.50 for one call to a.example; the limit is $1.00.')
  expect(explain('OVER_DAY_LIMIT')).toBe(
    '$2.50 for one call to a.example; the limit is $5.00; $4.55 is left, more from 1970-01-02T00:00:01.000Z.',
  )
  expect(explain('PAYMENT_LOOP')).toBe(
    'The limit for a.example is 20 a minute, more from 1970-01-01T00:01:05.000Z.',
  )
  expect(explain('VERDICT_AVOID')).toBeUndefined()
})
