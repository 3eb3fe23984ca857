import { describe, expect, test } from 'vitest'
import { run } from './campaigns/verdict-faults.ts'

describe('a verdict service that fails', () => {
  test('behavior: the guard neither pays nor exceeds its timeout for any fault', async () => {
    const { ok, figures } = await run({ short: true })
    expect(figures).toMatchObject({ faults: 12, calls: 240, unsafePayments: 0, controlsPaid: 24 })
    expect(ok).toBe(true)
  })
})
