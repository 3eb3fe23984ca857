import { describe, expect, test } from 'vitest'
import { run } from './campaigns/ledger-kill/index.ts'

describe('a paying process that is killed', () => {
  test('behavior: the file ledger never records less than was signed', async () => {
    const { ok, figures } = await run({ short: true })
    expect(figures).toMatchObject({ kills: 16, understated: 0, broken: 0 })
    expect(ok).toBe(true)
  })
})
