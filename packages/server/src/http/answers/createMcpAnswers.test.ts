import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { McpAudit } from '../../facts/mcpFacts.ts'
import { DAY } from '../../facts/times.ts'
import { systemClock } from '../../lib/clock.ts'
import { anAudit } from '../../mcp/testing/anAudit.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { NOON } from '../../store/testing/records.ts'
import { createMcpAnswers } from './createMcpAnswers.ts'

async function setUp(audits: readonly McpAudit[]) {
  const store = createMemoryStore()
  for (const audit of audits) await store.write('putAudit', audit)
  return createMcpAnswers({ store, clock: { ...systemClock, now: () => NOON } }, { revision: () => 1 })
}

test('behavior: changes are filtered by days and packages, and what servers share stands once', async () => {
  const drift = (name: string, daysAgo: number) => ({
    code: 'owners_changed' as const,
    package: name,
    at: NOON - daysAgo * DAY,
    before: 'adam',
    after: 'zoe',
  })
  const answers = await setUp([
    { ...anAudit('one', NOON), drift: [drift('one', 1), drift('shared', 3)] },
    { ...anAudit('two', NOON), drift: [drift('shared', 2), drift('old', 20)] },
  ])
  const read = async (query: Parameters<typeof answers.mcpDrift>[0]) => {
    const { body } = await answers.mcpDrift(query)
    expect(OPERATIONS.mcpDrift.response[0].parse(body)).toEqual(body)
    return [body.count, ...body.events.map((event) => event.package)]
  }
  expect(await read({ days: 7 })).toEqual([2, 'one', 'shared'])
  expect(await read({ days: 30 })).toEqual([3, 'one', 'shared', 'old'])
  expect(await read({ days: 30, packages: 'old,shared' })).toEqual([2, 'shared', 'old'])
  expect(await read({ days: 1, packages: 'old' })).toEqual([0])
  const { body } = await answers.mcpDrift({ days: 7 })
  expect(body.events[0]).toEqual({
    kind: 'owners_changed',
    package: 'one',
    version: '1.4.0',
    before: 'adam',
    after: 'zoe',
    at: new Date(NOON - DAY).toISOString(),
  })
})

test('default: the report counts verdicts and changes, and shows risky servers, worst first', async () => {
  const drift = (daysAgo: number) => ({
    code: 'script_added' as const,
    package: 'p',
    at: NOON - daysAgo * DAY,
    before: '',
    after: `script ${daysAgo}`,
  })
  const audits = [
    { ...anAudit('calm', NOON), verdict: 'safe' as const },
    { ...anAudit('odd', NOON), verdict: 'caution' as const, drift: [drift(1), drift(6), drift(8)] },
    { ...anAudit('bad', NOON), verdict: 'avoid' as const },
  ]
  const { body } = await (await setUp(audits)).mcpReport({})
  expect(OPERATIONS.mcpReport.response[0].parse(body)).toEqual(body)
  expect(body).toMatchObject({
    current: { audited: 3, byVerdict: { safe: 1, caution: 1, avoid: 1, unknown: 0 } },
    deltas: { days: 7, count: 2, byKind: { script_added: 2 } },
  })
  expect(body.live.riskySample.map(({ name }) => name)).toEqual(['bad', 'odd'])
})
