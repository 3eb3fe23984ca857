import type { Service } from '@touchstone402/demo'
import { type Economy, USDC } from '@touchstone402/economy'
import type { Address } from 'viem'
import { beforeAll, beforeEach, expect } from 'vitest'
import { useService } from './economy.ts'
import { createStockBuyer } from './stockBuyer.ts'
import { type Log, readLogs } from './tokenLogs.ts'

type Schema<T> = { parse(value: unknown): T }
type Window = { name: string; fromBlock: number; toBlock: number; fromTime: string; toTime: string }

/** An economy and a service, of which the tests of one file buy token data. */
export type TokenMarket = {
  readonly economy: Economy
  readonly service: Service
  /** Buys a path with the stock client. @param bot index of the payer. @default 0 */
  buy(path: string, bot?: number, from?: Service): Promise<Response>
  /** Buys a response and parses it with its schema. */
  buyAnswer<T>(schema: Schema<T>, path: string, from?: Service): Promise<T>
  /** Returns what the service earned since the test began, in atomic USDC. */
  charged(): Promise<bigint>
  /** Returns the timestamp of a block in Unix seconds. */
  timeOf(block: number): Promise<number>
  logsOf(range: { from: number; to: number }, token?: Address): Promise<Log[]>
  /** Checks that a window is the last hour, or day, before the newest block. Returns its block range. */
  expectWindow(window: Window, name?: '1h' | '24h'): Promise<{ from: number; to: number }>
}

/** Where a market is: an economy and a service, and how to stop them if they are its own. */
export type TokenPlace = {
  readonly economy: Economy
  readonly service: Service
  stop?(): Promise<void>
}

/** Opens a market and runs `prepare` before the tests of a file. @param open @default on the shared service */
export function useTokenMarket(
  prepare: (market: TokenMarket) => Promise<void>,
  open: () => Promise<TokenPlace> = useService,
): TokenMarket {
  let economy: Economy | undefined
  let service: Service | undefined
  let before = 0n
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('the market is only open during tests')
    return part
  }
  const balance = () => started(economy).chain.usdcBalanceOf(started(economy).wallets.service.address)

  const market: TokenMarket = {
    get economy() {
      return started(economy)
    },
    get service() {
      return started(service)
    },
    buy(path, bot = 0, { url } = market.service) {
      return createStockBuyer(market.economy, bot)(url + path)
    },
    async buyAnswer(schema, path, from) {
      const response = await market.buy(path, 0, from)
      expect(response.status).toBe(200)
      const body: unknown = await response.json()
      const parsed = schema.parse(body)
      expect(parsed).toEqual(body)
      return parsed
    },
    charged: async () => (await balance()) - before,
    async timeOf(block) {
      const { timestamp } = await market.economy.chain.publicClient.getBlock({ blockNumber: BigInt(block) })
      return Number(timestamp)
    },
    logsOf: (range, token = USDC) => readLogs(market.economy.chain.publicClient, token, range),
    async expectWindow(window, name = '1h') {
      const { timeOf } = market
      const seconds = name === '1h' ? 3600 : 86_400
      const end = await timeOf(window.toBlock)
      expect(window).toMatchObject({ name, headLagBlocks: 0, complete: true, truncated: false })
      expect(Date.parse(window.toTime)).toBe(end * 1000)
      expect(Date.parse(window.fromTime)).toBe((await timeOf(window.fromBlock)) * 1000)
      // The first block less than the window before the newest one.
      expect(await timeOf(window.fromBlock)).toBeGreaterThan(end - seconds)
      expect(await timeOf(window.fromBlock - 1)).toBeLessThanOrEqual(end - seconds)
      return { from: window.fromBlock, to: window.toBlock }
    },
  }

  beforeAll(async () => {
    const place = await open()
    economy = place.economy
    service = place.service
    await prepare(market)
    return () => place.stop?.()
  })
  beforeEach(async () => {
    before = await balance()
  })
  return market
}
