import { type Economy, start } from '@touchstone402/economy'
import {
  countUnsettled,
  createConfirmation,
  createMemoryStore,
  createPaymentContext,
  createSettlementWatch,
} from '@touchstone402/server/testing'
import { OPERATIONS, PAID_OPERATIONS, type PaidOperationId, usdToAtomic } from '@touchstone402/shared'
import { createTestClient, http, parseAbi } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { chainAhead } from '../../support/chainAhead.ts'
import {
  type Fault,
  type FaultyFacilitator,
  type Step,
  startFaultyFacilitator,
} from '../../support/faultyFacilitator.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { signFor } from '../../support/sign.ts'
import { createTokenLife } from '../../support/tokenLife.ts'
import { FAULTS } from './faults.ts'
import { settleLate } from './settleLate.ts'
import { tellLies } from './tellLies.ts'

const STATE = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])

/** More than one call of each kind costs. */
const FUNDS_ATOMIC = usdToAtomic('20')

type Cell = {
  name: string
  id: PaidOperationId
  url: string
  headers: Record<string, string>
  payer: `0x${string}`
  nonce: `0x${string}`
  status: number
  saidUnknown: boolean
}

/**
 * Payment and delivery match under every fault of the facilitator, or reconciliation resolves it.
 *
 * Combines verify and settle, every fault, every paid route and both versions. The bar: payment and delivery match, or
 * the response is `settlement_unknown` and reconciliation resolves it. Then the facilitator settles what it denied, and the
 * next equal call is answered without another payment. Last, it lies about unfunded payers: at most three cheap answers are
 * delivered, and none from $0.10 on.
 */
export async function run({ short }: { short: boolean }) {
  const economy = await start({ sellers: [], clock: 'real' })
  const facilitator = await startFaultyFacilitator(economy.facilitator.url)
  const store = createMemoryStore()
  const { publicClient: chain, network, rpcUrl } = economy.chain
  let aheadMs = 0
  // Lies end as missing as soon as the chain has a newer block.
  const settings = { facilitatorUrl: facilitator.url, network }
  const ahead = createPaymentContext(store, settings, () => Date.now() + aheadMs)
  const watch = createSettlementWatch(ahead.ctx, chainAhead(chain))
  await watch.check()
  const shop = await openShop({
    economy,
    store,
    facilitator: { url: facilitator.url, verifyTimeoutMs: 300, settleTimeoutMs: 300 },
    paywall: {
      confirmation: createConfirmation(createPaymentContext(store, settings).ctx, {
        chain,
        isTrusted: watch.isTrusted,
        waitMs: 300,
        searchMs: 300,
        reachMs: 3000,
      }),
      uncharged: {
        payer: { points: 1e6, windowSeconds: 60 },
        client: { points: 1e6, windowSeconds: 60 },
      },
    },
  })
  const { mint } = createTokenLife(economy)
  const newPayer = async (): Promise<PrivateKeyAccount> => {
    const account = privateKeyToAccount(generatePrivateKey())
    await mint(account.address, FUNDS_ATOMIC)
    return account
  }
  const balance = () => economy.chain.usdcBalanceOf(economy.wallets.service.address)
  const before = await balance()
  const mismatches: string[] = []
  const cells: Cell[] = []
  try {
    for (let round = 0; round < (short ? 1 : 5); round++) {
      for (const [fault, how] of Object.entries(FAULTS)) {
        for (const step of ['verify', 'settle'] as const) {
          for (const version of [1, 2] as const) {
            // Each makes one call of a kind: an earlier one that settled late would pay for the next.
            const account = await newPayer()
            for (const id of PAID_OPERATIONS) {
              const name = `${step} ${fault} ${id} v${version}`
              cells.push(await callOnce({ account, shop, facilitator, name, step, how, id, version }))
            }
          }
        }
        process.stderr.write(`round ${round + 1}: ${fault}\n`)
      }
    }
    await facilitator.set({})
    await facilitator.idle()
    const late = await settleLate({
      shop,
      facilitator,
      newPayer,
      isUsed: (payment) => isUsed(economy, payment),
    })
    mismatches.push(...late.mismatches)
    const reconcile = async () => {
      const result = await watch.check()
      if (result === null) throw new Error('a check is under way')
      return result
    }
    const chainClock = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
    const first = await reconcile()
    const lies = await tellLies({ shop, facilitator, reconcile, mine: () => chainClock.mine({ blocks: 1 }) })
    mismatches.push(...lies.mismatches)
    await chainClock.increaseTime({ seconds: 600 })
    aheadMs = 600_000
    await chainClock.mine({ blocks: 1 })
    const second = await reconcile()
    if (second.open + second.failed > 0) mismatches.push(`left open: ${JSON.stringify(second)}`)
    const { missing = 0 } = await countUnsettled(store)
    if (missing !== lies.told) mismatches.push(`${lies.told} lies, ${missing} missing`)

    let earned = late.earned
    for (const cell of cells) {
      const moved = await isUsed(economy, cell)
      if (moved) earned += usdToAtomic(OPERATIONS[cell.id].priceUsd)
      // The response to a retry with the same payment, as the 503 suggests.
      const delivered = cell.status === 200 || (cell.saidUnknown && (await replays(cell)))
      if (delivered !== moved)
        mismatches.push(`${cell.name}: status ${cell.status}, moved ${moved}, delivered ${delivered}`)
      if (cell.status >= 500 && cell.status !== 503) mismatches.push(`${cell.name}: status ${cell.status}`)
    }
    // Each used authorization moved its price, and there were no other transfers.
    const gained = (await balance()) - before
    if (gained !== earned) mismatches.push(`the service got ${gained} for authorizations of ${earned}`)
    for (const mismatch of mismatches) process.stderr.write(`MISMATCH ${mismatch}\n`)
    const figures = {
      cells: cells.length,
      silentMismatch: mismatches.length,
      unknown: cells.filter((cell) => cell.saidUnknown).length,
      settledLater: first.settled + second.settled,
      releasedLater: first.released + second.released,
      settledLate: late.settled,
      lies: lies.told,
      liesDelivered: lies.delivered,
    }
    return { ok: mismatches.length === 0 && figures.unknown > 0, figures }
  } finally {
    await shop.close()
    await facilitator.close()
    await economy.stop()
  }
}

type Situation = {
  account: PrivateKeyAccount
  shop: Shop
  facilitator: FaultyFacilitator
  name: string
  step: Step
  how: Fault
  id: PaidOperationId
  version: 1 | 2
}

async function callOnce({
  account,
  shop,
  facilitator,
  name,
  step,
  how,
  id,
  version,
}: Situation): Promise<Cell> {
  const url = `${shop.origin}${OPERATIONS[id].path}?endpoint=https%3A%2F%2Fknown.example%2F`
  await facilitator.set({})
  const { headers, nonce } = await signFor(url, account, version)
  await facilitator.set({ [step]: how })
  const response = await fetch(url, { headers })
  const body: { code?: string } = await response.json()
  return {
    name,
    id,
    url,
    headers,
    nonce,
    payer: account.address,
    status: response.status,
    saidUnknown: body.code === 'settlement_unknown',
  }
}

/** Returns whether a cell's authorization was used on chain, possibly after its caller gave up. */
function isUsed({ chain }: Economy, { payer, nonce }: Pick<Cell, 'payer' | 'nonce'>): Promise<boolean> {
  return chain.publicClient.readContract({
    address: chain.usdc,
    abi: STATE,
    functionName: 'authorizationState',
    args: [payer, nonce],
  })
}

async function replays({ url, headers }: Cell): Promise<boolean> {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  return response.status === 200 && response.headers.get('idempotent-replayed') === 'true'
}
