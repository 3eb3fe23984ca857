import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { start } from '@touchstone402/economy'
import { createMemoryStore } from '@touchstone402/server/parts'
import { openShop, type Shop } from '../support/shop.ts'
import { signFor } from '../support/sign.ts'

const PRICE = 5000n
const COPIES = 50

/** Rounds of concurrent copies of one payment: it is handled, settled and delivered once, and every body is the same. */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 60 : 10_000
  const economy = await start({ sellers: [], clock: 'real' })
  let answers = 0
  const shop = await openShop({
    economy,
    store: createMemoryStore(),
    answers: {
      // Each run of the handler answers otherwise, so that a second one shows in the body.
      trust: async () => ({
        asOf: new Date(Date.UTC(2026, 0, 1) + ++answers).toISOString(),
        services: [],
        riskMap: { byLevel: {}, byFlag: {}, byVerdict: {}, byDirectory: {} },
      }),
    },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: COPIES })
  const [account] = economy.wallets.bots
  if (!account) throw new Error('the economy has no bot')
  const balance = () => economy.chain.usdcBalanceOf(economy.wallets.service.address)
  let secondRuns = 0
  let secondSettlements = 0
  let differingBodies = 0
  let notDelivered = 0
  let waited = 0
  let replayed = 0
  const others: Record<string, number> = {}
  try {
    let before = await balance()
    for (let round = 0; round < rounds; round++) {
      if (round % 500 === 0) {
        await economy.chain.mintUsdc(account.address, PRICE * 500n)
        process.stderr.write(`${round} of ${rounds} rounds\n`)
      }
      const runsBefore = shop.runs.trust
      const { headers } = await signFor(`${shop.origin}/trust`, account, round % 2 === 0 ? 1 : 2)
      const copies = await Promise.all(Array.from({ length: COPIES }, () => ask(shop, agent, headers)))
      copies.push(await ask(shop, agent, headers))
      const delivered = copies.filter(({ status }) => status === 200)
      secondRuns += Math.max(0, shop.runs.trust - runsBefore - 1)
      differingBodies += new Set(delivered.map(({ digest }) => digest)).size - 1
      notDelivered += delivered.filter((copy) => !copy.replayed).length === 1 ? 0 : 1
      waited += copies.filter(({ status }) => status === 409).length
      replayed += delivered.filter((copy) => copy.replayed).length
      for (const { status } of copies) {
        if (status !== 200 && status !== 409) others[status] = (others[status] ?? 0) + 1
      }
      if (round % 50 === 49 || round === rounds - 1) {
        const now = await balance()
        const paid = Number((now - before) / PRICE)
        secondSettlements += Math.abs(paid - ((round % 50) + 1))
        before = now
      }
    }
    const deliveredTwice = secondRuns + secondSettlements + differingBodies
    const figures = { rounds, copies: COPIES, deliveredTwice, notDelivered, waited, replayed, others }
    return {
      ok: deliveredTwice + notDelivered === 0 && Object.keys(others).length === 0 && waited > 0,
      figures,
    }
  } finally {
    agent.destroy()
    await shop.close()
    await economy.stop()
  }
}

type Copy = { status: number; replayed: boolean; digest: string }

function ask(shop: Shop, agent: Agent, headers: Record<string, string>): Promise<Copy> {
  return new Promise((resolve, reject) => {
    const call = request(`${shop.origin}/trust`, { agent, headers }, (response) => {
      const hash = createHash('sha256')
      response.on('data', (chunk: Buffer) => hash.update(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          replayed: response.headers['idempotent-replayed'] === 'true',
          digest: hash.digest('hex'),
        }),
      )
    })
    call.on('error', reject)
    call.end()
  })
}
