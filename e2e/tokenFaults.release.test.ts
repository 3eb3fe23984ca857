import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { USDC } from '@touchstone402/economy'
import { OPERATIONS, type Problem, PulseSchema, usdToAtomic } from '@touchstone402/shared'
import { type Address, getAddress } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useOwnTokenMarket } from './support/ownTokenMarket.ts'
import { startRpcProxy } from './support/rpcProxy.ts'
import { otherName } from './support/settings.ts'
import { createTokenLife, liveAnHour, payer, placeCode } from './support/tokenLife.ts'
import { amountOf, type Log, sumOf } from './support/tokenLogs.ts'

const PATHS = ['/pulse', '/whales', '/flow', '/momentum'] as const
const OTHER: Address = '0x7070707070707070707070707070707070707070'
const NO_TOKEN: Address = '0x6060606060606060606060606060606060606060'
const of = (token: string, rest = '') => `?token=${token}${rest}`

const market = useOwnTokenMarket(async ({ economy }) => {
  await placeCode(economy, OTHER)
  await placeCode(economy, NO_TOKEN, '0x00')
  await liveAnHour(createTokenLife(economy))
})
const { buy, buyAnswer, charged, expectWindow, logsOf, openRelayed } = market

describe('refusals are not charged', () => {
  it.each(PATHS)('error: %s of an address that is not a token', async (path) => {
    const bot = market.economy.wallets.bots[0]?.address ?? ''
    for (const [token, code] of [
      [bot, 'not_a_contract'],
      [NO_TOKEN, 'not_erc20'],
    ] as const) {
      const response = await buy(path + of(token), 1)
      expect(response.status).toBe(404)
      const problem = (await response.json()) as Problem
      expect(problem.code).toBe(code)
      expect(problem.detail).toContain(getAddress(token))
    }
    expect(await charged()).toBe(0n)
  })

  it.each([
    ['/pulse', ''],
    ['/pulse', `?token=${USDC.slice(0, -1)}`],
    ['/flow', `?token=${USDC}&token=${USDC}`],
    ['/flow', `?token[]=${USDC}`],
    ['/momentum', of(USDC, '&window=2h')],
    ['/momentum', of(USDC, '&partial=yes')],
    ['/whales', of(USDC, '&min=-1')],
    ['/whales', of(USDC, '&min=1e9')],
    ['/whales', of(USDC, '&min=0.0000001')],
  ])('error: an invalid query: %s%s', async (path, search) => {
    const response = await buy(path + search, 2)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const problem = (await response.json()) as Problem
    expect(problem.code).toBe('invalid_query')
    expect(problem.errors).toHaveLength(1)
    expect(await charged()).toBe(0n)
  })

  it('behavior: an unpaid call with any query gets 402', async () => {
    const list = await readFile(
      new URL('../packages/shared/fixtures/malformed-queries.txt', import.meta.url),
      'utf8',
    )
    const queries = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(queries.length).toBeGreaterThan(20)
    for (const path of PATHS)
      for (const query of ['', ...queries.map((line) => line.split('\t')[0])]) {
        const response = await fetch(`${market.service.url}${path}?${query}`)
        expect([path, query, response.status]).toEqual([path, query, 402])
        await response.arrayBuffer()
      }
  })
})

describe('an unreachable chain', () => {
  /** Creates unread blocks with transfers of the other token, most of them final. Returns the head. */
  const live = async () => {
    const { mint } = createTokenLife(market.economy, OTHER)
    for (let block = 0; block < 20; block++) await mint(payer(block), BigInt(block + 1) * 1_000_000n)
    await market.economy.chain.mine(80)
    await mint(payer(0), 5_000_000n)
    return Number(await market.economy.chain.publicClient.getBlockNumber())
  }
  /** Returns whether a call requests logs of the other token from a range that starts by a block. */
  const asksUpTo = (block: number) => (call: { method: string; params: readonly unknown[] }) => {
    const [filter] = call.params as [{ address?: unknown; fromBlock?: string }]
    if (call.method !== 'eth_getLogs' || !JSON.stringify(filter).toLowerCase().includes(OTHER)) return false
    return Number(filter.fromBlock) <= block
  }

  it('behavior: responds 503 without a charge, or with a partial window on request', async () => {
    const head = await live()
    const { relay, opened } = await openRelayed()
    const isHeldUp = asksUpTo(head - 90)
    relay.fault = (call) => (isHeldUp(call) ? 'hang' : undefined)

    const refused = await buy(`/pulse${of(OTHER)}`, 3, opened)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await refused.json()) as Problem).toMatchObject({ code: 'chain_deadline' })
    expect(await charged()).toBe(0n)

    const pulse = await buyAnswer(PulseSchema, `/pulse${of(OTHER, '&partial=1')}`, opened)
    expect(pulse.window).toMatchObject({ complete: false, truncated: false })
    const { ranges, fromBlock, toBlock } = pulse.window
    expect(ranges.at(-1)?.to).toBe(toBlock)
    expect(ranges[0]?.from).toBeGreaterThan(fromBlock)
    const logs: Log[] = []
    for (const range of ranges) logs.push(...(await logsOf(range, OTHER)))
    expect(pulse).toMatchObject({ transfers: logs.length, volume: amountOf(sumOf(logs)) })
    expect(pulse.caveats.join(' ')).toContain('not read completely')
    // The token copies the symbol of another one.
    expect(pulse.token.warnings).toEqual(['symbol_of_another_token'])
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.pulse.priceUsd))

    relay.fault = () => undefined
    const whole = await buyAnswer(PulseSchema, `/pulse${of(OTHER)}`, opened)
    const range = { from: whole.window.fromBlock, to: whole.window.toBlock }
    expect(whole.window.complete).toBe(true)
    expect(whole.transfers).toBe(21)
    expect(whole.volume).toEqual(amountOf(sumOf(await logsOf(range, OTHER))))
  })

  it('error: does not sell a partial response without any data', async () => {
    const { relay, opened } = await openRelayed()
    relay.fault = ({ method }) => (method === 'eth_getLogs' ? 'hang' : undefined)
    const response = await buy(`/whales${of(USDC, '&partial=1')}`, 4, opened)
    expect(response.status).toBe(503)
    expect((await response.json()) as Problem).toMatchObject({ code: 'chain_deadline' })
    expect(await charged()).toBe(0n)
  })

  it('error: responds 503 with Retry-After and no charge if the RPC fails', async () => {
    const { relay, opened } = await openRelayed()
    relay.fault = ({ method }) => (method === 'eth_getLogs' ? 'fail' : undefined)
    const response = await buy(`/flow${of(USDC)}`, 4, opened)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await response.json()) as Problem).toMatchObject({ code: 'chain_unreachable' })
    expect(await charged()).toBe(0n)
  })

  it('behavior: falls back to another RPC', async () => {
    const failing = await startRpcProxy(market.economy.chain.rpcUrl)
    onTestFinished(() => failing.close())
    failing.fault = ({ method }) => (method === 'eth_getLogs' ? 'fail' : undefined)
    const { rpcUrl } = market.economy.chain
    const { relay, opened } = await openRelayed({ RPC_URLS: `${failing.url},${rpcUrl},${otherName(rpcUrl)}` })
    const pulse = await buyAnswer(PulseSchema, `/pulse${of(USDC)}`, opened)
    expect(pulse.volume).toEqual(amountOf(sumOf(await logsOf(await expectWindow(pulse.window)))))
    expect(failing.calls.length).toBeGreaterThan(0)
    expect(relay.calls).toEqual([])
  })
})

it('behavior: reads tokens of WARM_TOKENS in advance', async () => {
  const { relay, opened } = await openRelayed({ WARM_TOKENS: USDC })
  const logReads = () => relay.calls.filter(({ method }) => method === 'eth_getLogs').length
  await expect.poll(logReads).toBeGreaterThan(0)
  // Wait until the reads stop.
  await expect.poll(async () => (await settle(logReads)) === 0).toBe(true)
  const seen = relay.calls.length
  const pulse = await buyAnswer(PulseSchema, `/pulse${of(USDC)}`, opened)
  const reads = relay.calls.slice(seen).filter(({ method }) => method === 'eth_getLogs')
  const { number: final } = await market.economy.chain.publicClient.getBlock({ blockTag: 'finalized' })
  for (const { params } of reads) {
    const [{ fromBlock }] = params as [{ fromBlock?: string }]
    // The newest block is read by its hash as well.
    if (fromBlock !== undefined) expect(Number(fromBlock)).toBeGreaterThan(Number(final) - 5)
  }
  expect(reads.length).toBeLessThanOrEqual(2)
  expect(pulse.volume).toEqual(amountOf(sumOf(await logsOf(await expectWindow(pulse.window)))))
})

/** Returns the growth of a count within 250 ms. */
async function settle(count: () => number): Promise<number> {
  const first = count()
  await sleep(250)
  return count() - first
}
