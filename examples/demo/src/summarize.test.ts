import { expect, test } from 'vitest'
import { summarize } from './summarize.ts'

const paid = [
  { bot: 'a', endpoint: 'https://a.example/', amountUsd: '0.01', tx: '0x1' },
  { bot: 'a', endpoint: 'https://b.example/', amountUsd: '0.01', tx: '0x2' },
]
const refused = [{ bot: 'a', endpoint: 'https://c.example/', code: 'VERDICT_AVOID' }]
const counts = { paid, refused, services: 3, incidents: 1, expectations: 7 }

test('default: says in one sentence what was paid and refused, and that everything was as expected', () => {
  expect(summarize({ ...counts, failures: [] })).toEqual([
    '2 calls to honest sellers paid, 1 unsafe or unknown offers refused, all 7 expectations met.',
  ])
})

test('error: lists the expectations that were not met', () => {
  expect(summarize({ ...counts, failures: ['swapped: expected a refusal, paid $0.01'] })).toEqual([
    '2 calls paid, 1 refused, 1 of 7 expectations not met:',
    '  swapped: expected a refusal, paid $0.01',
  ])
})
