import { describe, expect, test } from 'vitest'
import { run } from './campaigns/shared-ledger/index.ts'

describe('processes that share a PostgreSQL ledger', () => {
  test('behavior: sign exactly as often as the budget covers, and never more when killed', async () => {
    const { ok, figures } = await run({ short: true })
    expect(figures).toMatchObject({ processes: 8, budget: 40, signatures: 40, overspent: 0 })
    expect(ok).toBe(true)
  })
})
