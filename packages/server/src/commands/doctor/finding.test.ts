import { expect, test } from 'vitest'
import type { Finding } from '../../services/health/createHealth.ts'
import { askHealth, ofHealth, runChecks } from './finding.ts'

const check = (run: () => Promise<Finding>) => ({
  name: 'chain' as const,
  everyMs: 1000,
  patienceMs: 1000,
  unanswered: {
    level: 'degraded' as const,
    status: 'unreachable',
    sentence: 'no RPC answers',
  },
  run,
})

test('default: a check of the running service says nothing where it finds nothing wrong', async () => {
  expect(await askHealth(check(async () => ({ level: 'ok', status: 'ok' })))).toBeNull()
})

test.each([
  ['impaired', 'warn'],
  ['degraded', 'fail'],
  ['down', 'fail'],
] as const)('behavior: what the running service calls %s is a %s', async (level, expected) => {
  const finding: Finding = { level, status: 'old', sentence: 'it is old' }
  expect(await askHealth(check(async () => finding))).toEqual({ level: expected, text: 'it is old' })
  expect(ofHealth({ level, status: 'old' })).toEqual({ level: expected, text: 'old' })
})

test('error: a check that throws fails with its reason, and shows no secret', async () => {
  const asked = check(() => Promise.reject(new Error('refused at https://u:SECRET@rpc.example/v2/SECRET')))
  const [finding] = await runChecks([{ name: 'chain', run: async () => (await askHealth(asked)) ?? [] }])
  expect(finding).toEqual({
    level: 'fail',
    name: 'chain',
    text: 'no RPC answers: refused at rpc.example',
  })
})
