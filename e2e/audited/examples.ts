import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { run as runAgentLoop } from '@touchstone402/example-agent-loop'
import { run as runAxiosGuarded } from '@touchstone402/example-axios-guarded'
import { run as runDailyBudget } from '@touchstone402/example-daily-budget'
import { run as runExistingClient } from '@touchstone402/example-existing-client'
import { run as runHumanApproval } from '@touchstone402/example-human-approval'
import { run as runMcpAgent } from '@touchstone402/example-mcp-agent'
import { run as runOffline } from '@touchstone402/example-offline'
import { run as runQuickstart } from '@touchstone402/example-quickstart'
import { createGuard } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createMcpServer } from '@touchstone402/guard/mcp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useService } from '../support/economy.ts'

const { economy, service } = await useService()
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-examples-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

const urlOf = (id: string) => {
  const seller = economy.sellers[id]
  if (seller === undefined) throw new Error(`no such seller: ${id}`)
  return seller.url
}

/** Returns a separate wallet per example, and what it has spent. */
async function openWallet(bot: 0 | 1 | 2 | 3 | 4) {
  const index = WALLET_INDEX.bots[bot]
  const { address } = walletAt(index)
  const before = await economy.chain.usdcBalanceOf(address)
  return {
    options: { touchstoneUrl: service.url, account: walletAt(index), fetch: economy.fetch },
    account: walletAt(index),
    spent: async () => before - (await economy.chain.usdcBalanceOf(address)),
  }
}

describe('quickstart', () => {
  it('default: pays a safe endpoint and returns its response', async () => {
    const { options, spent } = await openWallet(0)
    const result = await runQuickstart({ ...options, endpointUrl: urlOf('honest-v2') })
    expect(result).toMatchObject({ paid: true, message: expect.stringMatching(/^200 /) })
    expect(await spent()).toBe(10_000n)
  })

  it('behavior: refuses an endpoint to avoid and reports the reason', async () => {
    const { options, spent } = await openWallet(0)
    const result = await runQuickstart({ ...options, endpointUrl: urlOf('swapped') })
    expect(result).toMatchObject({ paid: false, message: expect.stringMatching(/^VERDICT_AVOID: /) })
    expect(await spent()).toBe(0n)
  })

  it('behavior: pays without a service', async () => {
    const { options, spent } = await openWallet(4)
    const alone = { ...options, touchstoneUrl: undefined }
    const result = await runQuickstart({ ...alone, endpointUrl: urlOf('honest-v2') })
    expect(result).toMatchObject({ paid: true, message: expect.stringMatching(/^200 /) })
    expect(await spent()).toBe(10_000n)
  })
})

describe('offline', () => {
  it('default: pays by the map, without a request to the service', async () => {
    const { options, spent } = await openWallet(0)
    const offline = { ...options, mapFile: join(directory, 'map') }
    const good = await runOffline({ ...offline, endpointUrl: urlOf('honest-v2') })
    expect(good).toMatchObject({ paid: true, message: expect.stringMatching(/^200 /), askedAfterCut: 0 })
    expect(good.entries).toBeGreaterThan(3)
    expect(await spent()).toBe(10_000n)
    const bad = await runOffline({ ...offline, endpointUrl: urlOf('swapped') })
    expect(bad).toMatchObject({
      paid: false,
      message: expect.stringMatching(/^VERDICT_AVOID: /),
      askedAfterCut: 0,
    })
    expect(await spent()).toBe(10_000n)
  })
})

describe('agent-loop', () => {
  it('default: buys the catalog and the safe endpoints within its budget', async () => {
    const { options, spent } = await openWallet(1)
    const results = await runAgentLoop({ ...options, budgetUsd: '0.05' })
    expect(results.filter(({ outcome }) => outcome === 'bought').length).toBeGreaterThanOrEqual(3)
    expect(results.at(-1)).toMatchObject({ outcome: 'refused', code: 'OVER_TOTAL_LIMIT' })
    expect(await spent()).toBeGreaterThan(0n)
    expect(await spent()).toBeLessThanOrEqual(50_000n)
  })
})

describe('existing-client', () => {
  it('default: pays a safe endpoint and refuses one to avoid', async () => {
    const { options, spent } = await openWallet(0)
    const good = await runExistingClient({ ...options, endpointUrl: urlOf('honest-v2') })
    expect(good).toMatchObject({ paid: true, message: expect.stringMatching(/^200 /) })
    expect(await spent()).toBe(10_000n)
    const bad = await runExistingClient({ ...options, endpointUrl: urlOf('swapped') })
    expect(bad).toMatchObject({ paid: false, message: expect.stringMatching(/^VERDICT_AVOID: /) })
    expect(await spent()).toBe(10_000n)
  })
})

describe('daily-budget', () => {
  it('default: stops at the budget, also after a restart', async () => {
    const { options, spent } = await openWallet(1)
    const bot = {
      ...options,
      endpointUrl: urlOf('honest-v2'),
      ledgerFile: join(directory, 'spending.jsonl'),
      budgetUsd: '0.035',
    }
    expect(await runDailyBudget(bot)).toEqual({
      bought: 3,
      stoppedBy: 'OVER_DAY_LIMIT',
      spentUsdMicros: 30_000n,
    })
    expect(await spent()).toBe(30_000n)
    expect(await runDailyBudget(bot)).toEqual({
      bought: 0,
      stoppedBy: 'OVER_DAY_LIMIT',
      spentUsdMicros: 30_000n,
    })
    expect(await spent()).toBe(30_000n)
  })
})

describe('human-approval', () => {
  const results =
    (answer: boolean, asked: string[]) =>
    async (options: { touchstoneUrl: string; account: ReturnType<typeof walletAt>; fetch: typeof fetch }) =>
      runHumanApproval({
        ...options,
        endpointUrls: [urlOf('honest-weather'), urlOf('honest-search'), urlOf('swapped')],
        freeUpToUsd: '0.009',
        ask: async ({ intent: { endpoint, amountUsd } }) => {
          asked.push(`${new URL(endpoint).hostname} ${amountUsd}`)
          return answer
        },
      })

  it('default: pays small amounts at once and larger ones after approval, and refuses an endpoint to avoid', async () => {
    const { options, spent } = await openWallet(2)
    const asked: string[] = []
    expect(await results(true, asked)(options)).toMatchObject([
      { paid: true, asked: false, code: null },
      { paid: true, asked: true, code: null },
      { paid: false, asked: false, code: 'VERDICT_AVOID' },
    ])
    expect(asked).toEqual(['honest-search.localhost 0.012'])
    expect(await spent()).toBe(20_000n)
  })

  it('behavior: does not pay without approval', async () => {
    const { options, spent } = await openWallet(2)
    const asked: string[] = []
    expect(await results(false, asked)(options)).toMatchObject([
      { paid: true, asked: false },
      { paid: false, asked: true, code: 'OVER_ASK_LIMIT' },
      { paid: false, asked: false },
    ])
    expect(await spent()).toBe(8000n)
  })
})

describe('mcp-agent', () => {
  it('default: an agent without a wallet buys from safe endpoints through the MCP server of the guard', async () => {
    const { options, account, spent } = await openWallet(3)
    const guard = createGuard({ service: { url: service.url } })
    const pay = createGuardedFetch({ account, guard, fetch: options.fetch })
    const context = { guard, serviceUrl: service.url, serviceFetch: economy.fetch, pay }
    const [transport, other] = InMemoryTransport.createLinkedPair()
    await createMcpServer(context).connect(other)
    const results = await runMcpAgent({ transport, endpointUrls: [urlOf('honest-v2'), urlOf('swapped')] })
    expect(results).toMatchObject([
      {
        label: 'Safe to pay',
        bought: true,
        text: expect.stringMatching(/^Status 200, paid \$0\.\d+\. Untrusted content /),
      },
      { label: 'Avoid', bought: false, text: '' },
    ])
    expect(await spent()).toBe(10_000n)
  })
})

describe('axios-guarded', () => {
  it('default: pays a safe endpoint with axios and refuses one to avoid', async () => {
    const { options, spent } = await openWallet(4)
    // The system's resolver may not know the sellers' names.
    const axios = { lookup: async () => '127.0.0.1', proxy: false } as const
    const good = await runAxiosGuarded({ ...options, axios, endpointUrl: urlOf('honest-v2') })
    expect(good).toMatchObject({ paid: true, message: expect.stringMatching(/^200 /) })
    expect(await spent()).toBe(10_000n)
    const bad = await runAxiosGuarded({ ...options, axios, endpointUrl: urlOf('swapped') })
    expect(bad).toMatchObject({ paid: false, message: expect.stringMatching(/^VERDICT_AVOID: /) })
    expect(await spent()).toBe(10_000n)
  })
})
