// The surroundings of the service under load, in a separate process: a chain, a facilitator, the sellers of its hosts, and
// stock clients that buy from it.
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from '@touchstone402/economy'
import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import { openSellers } from '../../e2e/support/load/openLoaded.ts'
import { economySettings } from '../../e2e/support/settings.ts'
import { createStockBuyer } from '../../e2e/support/stockBuyer.ts'

/** A run of purchases, one after the other at a fixed rate. */
export type PurchaseOrder = {
  readonly origin: string
  /** Paths of paid operations, bought in turns. */
  readonly paths: readonly string[]
  readonly perSecond: number
  readonly count: number
}

/** Result of a run of purchases. */
export type Purchases = {
  /** Number of answers with status 200. */
  readonly delivered: number
  /** Other results, by status or error. */
  readonly others: Readonly<Record<string, number>>
  /** Time from the first request to the answer, in ms. */
  readonly latenciesMs: readonly number[]
  /** Amount that the service's account received on chain, in atomic USDC. */
  readonly earned: string
  /** Total price of the delivered answers, as their challenges state it. */
  readonly owed: string
}

/** Message of the process when it is open. */
export type World = {
  readonly sellersPort: number
  readonly settings: Readonly<Record<string, string>>
}

const economy = await start({ clock: 'real', historyBlocks: 90, sellers: [] })
const sellers = await openSellers()
const balance = () => economy.chain.usdcBalanceOf(economy.wallets.service.address)

/** Returns the price of a path in atomic USDC, as its challenge states it. */
async function readPrice(url: string): Promise<bigint> {
  const challenge = await fetch(url)
  const { offers } = decodeChallenge({
    header: challenge.headers.get(X402_HEADERS.required),
    body: await challenge.text(),
  })
  return BigInt(offers[0]?.amountAtomic ?? 0)
}

const operationOf = (path: string) => path.split('?')[0] ?? ''

async function buyAll({ origin, paths, perSecond, count }: PurchaseOrder): Promise<Purchases> {
  const before = await balance()
  const latenciesMs: number[] = []
  const others: Record<string, number> = {}
  let delivered = 0
  let owed = 0n
  const buyers = economy.wallets.bots.map((_, bot) => createStockBuyer(economy, bot, fetch))
  const prices = new Map<string, bigint>()
  for (const path of paths)
    if (!prices.has(operationOf(path))) prices.set(operationOf(path), await readPrice(origin + path))
  const buyOne = async (place: number) => {
    const path = paths[place % paths.length] ?? ''
    const buy = buyers[place % buyers.length] ?? fetch
    const startedAt = performance.now()
    const result = await buy(origin + path).then(
      async (response) => {
        const text = await response.text()
        return response.status === 200 ? 'delivered' : `${response.status} ${text.slice(0, 200)}`
      },
      (error: unknown) => String(error),
    )
    if (result === 'delivered') {
      delivered++
      owed += prices.get(operationOf(path)) ?? 0n
      latenciesMs.push(performance.now() - startedAt)
    } else others[result] = (others[result] ?? 0) + 1
  }
  const startedAt = performance.now()
  const buying: Promise<void>[] = []
  for (let place = 0; place < count; place++) {
    await sleep(Math.max(0, startedAt + (1000 * place) / perSecond - performance.now()))
    buying.push(buyOne(place))
  }
  await Promise.all(buying)
  return { delivered, others, latenciesMs, earned: `${(await balance()) - before}`, owed: `${owed}` }
}

// The chain is a child process.
const stop = () => void economy.stop().finally(() => process.exit())

process.on('message', (message: PurchaseOrder | 'stop') => {
  if (message === 'stop') return stop()
  void buyAll(message).then((purchases) => process.send?.(purchases))
})
process.on('disconnect', stop)
process.send?.({ sellersPort: sellers.port, settings: economySettings(economy) } satisfies World)
