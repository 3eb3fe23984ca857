import { expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { BUDGET_CODES } from '../reasons.ts'
import { limitFacts } from './limitFacts.ts'

const DAY_MS = 86_400_000
const sum = { spent: 400_000n, reserved: 50_000n, oldestAt: 1000 }
const policy = parsePolicy({ maxPerReceiverPerDayUsd: '0.50', maxTotalUsd: '9.00' })
const payment = {
  limits: budgetLimits(policy, { perCall: 20_000n, task: { name: 'job', usdMicros: 500_000n } }),
  summary: {
    day: new Map(
      ['day', 'unknown', 'host a.example', 'payTo 0xab', 'unknown a.example'].map((key) => [key, sum]),
    ),
    total: { spent: 400_000n, reserved: 50_000n },
    tasks: new Map([['job', 450_000n]]),
  },
  ...{ host: 'a.example', domain: 'a.example', payTo: '0xAB', task: 'job', now: 5000 },
}

test('default: every budget refusal tells its limit and what is left of it', () => {
  const resetsAt = new Date(1000 + DAY_MS).toISOString()
  const ofMinute = { remaining: 0, resetsAt: new Date(65_000).toISOString() }
  expect(Object.fromEntries(BUDGET_CODES.map((code) => [code, limitFacts(code, payment)]))).toEqual({
    OVER_CALL_LIMIT: { limit: '0.02', remaining: '0.02' },
    OVER_PAYMENT_LIMIT: { limit: '1', remaining: '1' },
    OVER_TASK_LIMIT: { limit: '0.5', remaining: '0.05' },
    OVER_HOST_DAY_LIMIT: { limit: '1', remaining: '0.55', resetsAt },
    OVER_RECEIVER_DAY_LIMIT: { limit: '0.5', remaining: '0.05', resetsAt },
    OVER_DAY_LIMIT: { limit: '5', remaining: '4.55', resetsAt },
    OVER_TOTAL_LIMIT: { limit: '9', remaining: '8.55' },
    OVER_UNKNOWN_DOMAIN_LIMIT: { limit: '0.1', remaining: '0', resetsAt },
    OVER_UNKNOWN_DAY_LIMIT: { limit: '0.5', remaining: '0.05', resetsAt },
    TOO_MANY_PAYMENTS: { limit: 30, ...ofMinute },
    PAYMENT_LOOP: { limit: 20, ...ofMinute },
  })
  expect(limitFacts('VERDICT_AVOID', payment)).toEqual({})
})
