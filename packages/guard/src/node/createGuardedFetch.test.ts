import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { createGuardedFetch } from './createGuardedFetch.ts'

const h = useHarness('@x402/fetch')
const { XDG_STATE_HOME } = process.env
let state: string

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'state-'))
  process.env.XDG_STATE_HOME = state
})
afterEach(async () => {
  process.env.XDG_STATE_HOME = XDG_STATE_HOME
  await rm(state, { recursive: true })
})

test('default: all programs with one account share a ledger, so that its limits hold over restarts', async () => {
  const { account } = createCountingAccount()
  const url = `${h.seller.url}/weather`
  const policy = { maxTotalUsd: '0.01' }
  const first = await createGuardedFetch({ account, policy })(url)
  expect(await first.text()).toContain('sunny')
  const path = join(state, 'touchstone', account.address.toLowerCase(), 'spending.jsonl')
  expect(await readFile(path, 'utf8')).toContain('"reserve"')
  await expect(createGuardedFetch({ account, policy })(url)).rejects.toMatchObject({
    code: 'OVER_TOTAL_LIMIT',
  })
})

test('behavior: a default ledger that cannot be written is kept in memory, with one warning and an event', async () => {
  await writeFile(join(state, 'touchstone'), 'no folder')
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const events: GuardEvent[] = []
  const { account } = createCountingAccount()
  const pay = createGuardedFetch({ account, onDecision: (event) => events.push(event) })
  for (let count = 0; count < 2; count++) expect((await pay(`${h.seller.url}/weather`)).status).toBe(200)
  expect(warn).toHaveBeenCalledOnce()
  expect(events.filter(({ type }) => type === 'ledger_in_memory')).toHaveLength(1)
  warn.mockRestore()
})
