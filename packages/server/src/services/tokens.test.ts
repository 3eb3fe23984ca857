import { expect, test } from 'vitest'
import { traceTokens } from './tokens.ts'
import type { Trace } from './traces.ts'

test('default: each read of a token is within a span that names it', async () => {
  const spans: unknown[] = []
  const trace: Trace = (name, attributes, work) => {
    spans.push([name, attributes])
    return work()
  }
  const read = async (query: unknown) => query as never
  const chain = {
    pulse: read,
    whales: read,
    flow: read,
    momentum: read,
    day: read,
  }
  const query = { token: '0x07', window: '1h' } as const
  const traced = traceTokens({ trace }, chain)
  const answers = [
    await traced.pulse(query),
    await traced.whales(query),
    await traced.flow(query),
    await traced.momentum(query),
    await traced.day({ token: '0x08', date: '2026-01-30', requests: 1 }),
  ]
  expect(answers).toEqual([...Array(4).fill(query), { token: '0x08', date: '2026-01-30', requests: 1 }])
  expect(spans).toEqual([
    ...Array(4).fill(['token read', { token: '0x07' }]),
    ['token read', { token: '0x08' }],
  ])
})
