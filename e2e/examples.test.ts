import { type Service, startService } from '@touchstone402/demo'
import { type Economy, keyAt, start, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { run as runAgentLoop } from '@touchstone402/example-agent-loop'
import { run as runQuickstart } from '@touchstone402/example-quickstart'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let economy: Economy
let service: Service

beforeAll(async () => {
  economy = await start()
  service = await startService(economy)
  await economy.clock.caughtUp
})

afterAll(async () => {
  await service?.stop()
  await economy?.stop()
})

describe('quickstart', () => {
  const privateKey = keyAt(WALLET_INDEX.bots[0])
  const { address } = walletAt(WALLET_INDEX.bots[0])
  const options = () => ({ touchstoneUrl: service.url, privateKey, fetch: economy.fetch })

  it('default: pays a safe endpoint and returns its response', async () => {
    const before = await economy.chain.usdcBalanceOf(address)
    const seller = economy.sellers['honest-v2']
    const result = await runQuickstart({ ...options(), endpointUrl: seller?.url ?? '' })
    expect(result).toMatchObject({ paid: true, message: expect.stringMatching(/^200 /) })
    expect(before - (await economy.chain.usdcBalanceOf(address))).toBe(10_000n)
  })

  it('behavior: refuses an endpoint to avoid and reports the reason', async () => {
    const before = await economy.chain.usdcBalanceOf(address)
    const seller = economy.sellers.swapped
    const result = await runQuickstart({ ...options(), endpointUrl: seller?.url ?? '' })
    expect(result).toMatchObject({ paid: false, message: expect.stringMatching(/^VERDICT_AVOID: /) })
    expect(await economy.chain.usdcBalanceOf(address)).toBe(before)
  })
})

describe('agent-loop', () => {
  it('default: buys the catalog and the safe endpoints within its budget', async () => {
    const { address } = walletAt(WALLET_INDEX.bots[1])
    const before = await economy.chain.usdcBalanceOf(address)
    const results = await runAgentLoop({
      touchstoneUrl: service.url,
      privateKey: keyAt(WALLET_INDEX.bots[1]),
      budgetUsd: '0.04',
      fetch: economy.fetch,
    })
    expect(results.filter(({ outcome }) => outcome === 'bought').length).toBeGreaterThanOrEqual(3)
    expect(results.at(-1)).toMatchObject({ outcome: 'refused', code: 'OVER_TOTAL_LIMIT' })
    const spent = before - (await economy.chain.usdcBalanceOf(address))
    expect(spent).toBeGreaterThan(0n)
    expect(spent).toBeLessThanOrEqual(40_000n)
  })
})
