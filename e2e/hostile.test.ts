import { describe, expect, test } from 'vitest'
import { run } from './campaigns/hostile/index.ts'

describe('the guard under attack', () => {
  test('default: blocks a sample of the attacks without signing or paying, and pays every honest seller', async () => {
    const { ok, figures } = await run({ short: true })
    expect(figures).toMatchObject({ unapprovedSignatures: 0, movedUsd: '0', paidTwice: 0 })
    expect(figures.retries).toBeGreaterThanOrEqual(12)
    expect(figures.retriesDelivered).toBe(figures.retries)
    expect(figures.controlsPaid).toBe(figures.controls)
    expect(figures.scenarios).toBeGreaterThanOrEqual(14)
    expect(figures.drainedUnguarded).toBeGreaterThanOrEqual(10)
    expect(ok).toBe(true)
  })
})
