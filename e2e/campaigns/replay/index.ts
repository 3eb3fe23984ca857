import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Economy, start } from '@touchstone402/economy'
import { startPostgres } from '@touchstone402/server/testing'
import { OPERATIONS, usdToAtomic } from '@touchstone402/shared'
import type { Hex } from 'viem'
import { signFor } from '../../support/sign.ts'
import { countSettlements } from './countSettlements.ts'
import { openSellers, type Sellers } from './sellers.ts'
import { sendCopy } from './sendCopy.ts'

const COPIES = 50
/** Concurrent replays, each by another payer. */
const LANES = 4

/**
 * A payment that is sent many times is handled, settled and delivered once.
 *
 * Sends concurrent copies of one payment to two processes that share a database. The bar: it is handled, settled and
 * delivered once, and every body is the same, also for later replays.
 */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 60 : 10_000
  const database = await startPostgres()
  const economy = await start({ sellers: [], clock: 'real' })
  const sellers = await openSellers(economy, database.url)
  const agent = new Agent({ keepAlive: true, maxSockets: (COPIES / 2) * LANES })
  try {
    const firstBlock = (await economy.chain.publicClient.getBlockNumber()) + 1n
    const before = await balance(economy)
    const seen = await replay({ economy, sellers, agent, rounds })
    const runs = [...(await allRuns(sellers, rounds)).values()]
    const { uses, transfers } = await countSettlements(economy, firstBlock)
    const paid = (await balance(economy)) - before
    const secondRuns = runs.reduce((sum, count) => sum + count - 1, 0)
    const unsettled = seen.nonces.filter((nonce) => uses.get(nonce) !== 1).length
    const secondSettlements = Math.max(0, transfers - rounds)
    const deliveredTwice = secondRuns + secondSettlements + seen.differingBodies + seen.secondDeliveries
    const figures = {
      rounds,
      copies: COPIES,
      deliveredTwice,
      secondRuns,
      secondSettlements,
      unsettled,
      ...seen,
      nonces: undefined,
    }
    const isPaidOnce = paid === usdToAtomic(OPERATIONS.trust.priceUsd) * BigInt(rounds)
    const isWhole = runs.length === rounds && unsettled + seen.notDelivered === 0 && isPaidOnce
    const hasOthers = Object.keys(seen.others).length > 0
    return { ok: deliveredTwice === 0 && isWhole && !hasOthers && seen.waited > 0, figures }
  } finally {
    agent.destroy()
    await sellers.close()
    await economy.stop()
    await database.stop()
  }
}

const balance = ({ chain, wallets }: Economy) => chain.usdcBalanceOf(wallets.service.address)

type Scene = {
  readonly economy: Economy
  readonly sellers: Sellers
  readonly agent: Agent
  readonly rounds: number
}

async function replay({ economy, sellers, agent, rounds }: Scene) {
  const seen = {
    nonces: [] as Hex[],
    differingBodies: 0,
    secondDeliveries: 0,
    notDelivered: 0,
    waited: 0,
    replayed: 0,
    others: {} as Record<string, number>,
  }
  let next = 0
  const lane = async (number: number) => {
    const account = economy.wallets.bots[number]
    if (account === undefined) throw new Error('the economy has too few bots')
    for (let round = next++; round < rounds; round = next++) {
      if (round % 100 === 0) {
        const wrong = seen.differingBodies + seen.secondDeliveries + seen.notDelivered
        process.stderr.write(`${round} of ${rounds} rounds, ${wrong} of them wrong\n`)
      }
      // A distinct endpoint shows the round of a handler run.
      const path = `/trust?endpoint=${encodeURIComponent(`https://round${round}.example/`)}`
      const [first, second] = sellers.origins.map((origin) => `${origin}${path}`) as [string, string]
      const { headers, nonce } = await signFor(first, account, round % 2 === 0 ? 1 : 2)
      seen.nonces.push(nonce)
      const send = (copy: number) => sendCopy(copy % 2 === 0 ? first : second, agent, headers)
      const copies = await Promise.all(Array.from({ length: COPIES }, (_, copy) => send(copy)))
      const late = [await send(0), await send(1)]
      const delivered = [...copies, ...late].filter(({ status }) => status === 200)
      const fresh = delivered.filter((copy) => !copy.replayed).length
      seen.secondDeliveries += Math.max(0, fresh - 1)
      seen.differingBodies += Math.max(0, new Set(delivered.map(({ digest }) => digest)).size - 1)
      if (fresh === 0 || late.some(({ status }) => status !== 200)) seen.notDelivered += 1
      seen.waited += copies.filter(({ status }) => status === 409).length
      seen.replayed += delivered.length - fresh
      for (const { status } of copies) {
        if (status !== 200 && status !== 409) seen.others[status] = (seen.others[status] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
  return seen
}

/** Returns the handler runs once all are reported, which is shortly after the responses. */
async function allRuns({ runs }: Sellers, rounds: number): Promise<ReadonlyMap<string, number>> {
  for (const end = Date.now() + 30_000; runs.size < rounds && Date.now() < end; ) await sleep(50)
  await sleep(1000)
  return runs
}
