import { expect, test } from 'vitest'
import type { Question } from '../../decide/ask.ts'
import { HONEST } from '../../testing/seller.ts'
import { USDC } from '../../testing/service.ts'
import { createPendingApprovals } from './approvals.ts'

const QUESTION: Question = {
  intent: {
    url: 'https://api.example.com/report',
    endpoint: 'https://api.example.com/report',
    host: 'api.example.com',
    method: 'GET',
    network: 'eip155:8453',
    asset: USDC,
    payTo: HONEST,
    scheme: 'exact',
    facilitator: null,
    amountAtomic: '500000',
    amountUsd: '0.5',
    maxTimeoutSeconds: 60,
  },
  code: 'OVER_ASK_LIMIT',
  reason: 'The price needs approval.',
  verdict: null,
  details: null,
  before: { payTo: null, price: null },
  remainingUsd: '1',
  body: null,
}

test('behavior: who has approved an amount has not approved a warning or a receiver that came since', async () => {
  const approvals = createPendingApprovals(() => 0)
  const ask = approvals.handlerOf('research', () => undefined)
  expect(await ask(QUESTION)).toBe(false)
  for (const { id } of approvals.pending()) approvals.answer(id, true)
  for (const code of ['VERDICT_CAUTION', 'RECEIVER_PIN_MISMATCH'] as const)
    expect(await ask({ ...QUESTION, code })).toBe(false)
  expect([await ask(QUESTION), await ask(QUESTION)]).toEqual([true, false])
})
