import { type Economy, start } from '@touchstone402/economy'
import { createMemoryStore, reconcileClaims } from '@touchstone402/server/parts'
import { OPERATIONS, PAID_OPERATIONS, type PaidOperationId, usdToAtomic } from '@touchstone402/shared'
import { createTestClient, http } from 'viem'
import {
  type Fault,
  type FaultyFacilitator,
  type Step,
  startFaultyFacilitator,
} from '../support/faultyFacilitator.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { signFor } from '../support/sign.ts'

const answer = (when: 'before' | 'after', status: number, body: unknown): Fault => ({
  kind: 'answer',
  when,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const moments = ['before', 'after'] as const
const TX = `0x${'ab'.repeat(32)}`
const refusal = { success: false, isValid: false, transaction: '', network: 'base' }

/** Everything that a step may do instead of what it should. */
const FAULTS: Record<string, Fault> = {
  none: { kind: 'none' },
  refused: { kind: 'refused' },
  ...Object.fromEntries(
    moments.flatMap((when) => [
      [`reset ${when}`, { kind: 'reset', when } satisfies Fault],
      [`timeout ${when}`, { kind: 'timeout', when } satisfies Fault],
      [`500 ${when}`, answer(when, 500, { error: 'internal' })],
      [`502 page ${when}`, answer(when, 502, '<html>bad gateway</html>')],
      [`429 ${when}`, answer(when, 429, { error: 'slow down' })],
      [`garbage ${when}`, answer(when, 200, '\u0000{')],
      [`empty ${when}`, answer(when, 200, '')],
      [`wrong shape ${when}`, answer(when, 200, { ok: 1 })],
      [`vague refusal ${when}`, answer(when, 200, { ...refusal, errorReason: 'unexpected_error' })],
      [
        `pending ${when}`,
        answer(when, 200, { ...refusal, transaction: TX, errorReason: 'settlement_pending' }),
      ],
      [
        `success without transaction ${when}`,
        answer(when, 200, { success: true, transaction: '', network: 'base' }),
      ],
    ]),
  ),
}

type Cell = {
  name: string
  id: PaidOperationId
  url: string
  headers: Record<string, string>
  moved: boolean
  status: number
  saidUnknown: boolean
}

/** verify and settle × every fault × every paid route × both versions: money and delivery agree, or the cell says `unknown` and reconciliation settles it. */
export async function run({ short }: { short: boolean }) {
  const economy = await start({ sellers: [], clock: 'real' })
  const facilitator = await startFaultyFacilitator(economy.facilitator.url)
  const store = createMemoryStore()
  const shop = await openShop({
    economy,
    store,
    facilitator: { url: facilitator.url, verifyTimeoutMs: 300, settleTimeoutMs: 300 },
    paywall: {
      payerAttempts: { points: 1e6, windowSeconds: 60 },
      clientAttempts: { points: 1e6, windowSeconds: 60 },
    },
  })
  const mismatches: string[] = []
  const cells: Cell[] = []
  try {
    for (let round = 0; round < (short ? 1 : 5); round++) {
      for (const [fault, how] of Object.entries(FAULTS)) {
        for (const step of ['verify', 'settle'] as const) {
          for (const id of PAID_OPERATIONS) {
            for (const version of [1, 2] as const) {
              const name = `${step} ${fault} ${id} v${version}`
              cells.push(await callOnce({ economy, shop, facilitator, name, step, how, id, version }))
            }
          }
        }
        process.stderr.write(`round ${round + 1}: ${fault}\n`)
      }
    }
    await facilitator.set({})
    const { chain } = economy
    const reconcile = () =>
      reconcileClaims({ claims: store.claims, chain: chain.publicClient, network: chain.network })
    const first = await reconcile()
    const chainClock = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
    await chainClock.increaseTime({ seconds: 600 })
    await chainClock.mine({ blocks: 1 })
    const second = await reconcile()
    if (second.open + second.failed > 0) mismatches.push(`left open: ${JSON.stringify(second)}`)

    for (const cell of cells) {
      // What a payer gets who repeats the call with the same payment, as the 503 says.
      const delivered = cell.status === 200 || (cell.saidUnknown && (await replays(cell)))
      if (delivered !== cell.moved)
        mismatches.push(`${cell.name}: status ${cell.status}, moved ${cell.moved}, delivered ${delivered}`)
      if (cell.status >= 500 && cell.status !== 503) mismatches.push(`${cell.name}: status ${cell.status}`)
    }
    for (const mismatch of mismatches) process.stderr.write(`MISMATCH ${mismatch}\n`)
    const figures = {
      cells: cells.length,
      silentMismatch: mismatches.length,
      unknown: cells.filter((cell) => cell.saidUnknown).length,
      settledLater: first.settled + second.settled,
      releasedLater: first.released + second.released,
    }
    return { ok: mismatches.length === 0 && figures.unknown > 0, figures }
  } finally {
    await shop.close()
    await facilitator.close()
    await economy.stop()
  }
}

type Situation = {
  economy: Economy
  shop: Shop
  facilitator: FaultyFacilitator
  name: string
  step: Step
  how: Fault
  id: PaidOperationId
  version: 1 | 2
}

async function callOnce({
  economy,
  shop,
  facilitator,
  name,
  step,
  how,
  id,
  version,
}: Situation): Promise<Cell> {
  const [account] = economy.wallets.bots
  if (!account) throw new Error('the economy has no bot')
  const url = `${shop.origin}${OPERATIONS[id].path}?endpoint=https%3A%2F%2Fknown.example%2F`
  await facilitator.set({})
  const { headers } = await signFor(url, account, version)
  await facilitator.set({ [step]: how })
  const before = await economy.chain.usdcBalanceOf(economy.wallets.service.address)
  const response = await fetch(url, { headers })
  const body: { code?: string } = await response.json()
  // A transaction that was sent before the caller gave up may still be on its way.
  await new Promise((resolve) => setTimeout(resolve, 30))
  const gained = (await economy.chain.usdcBalanceOf(economy.wallets.service.address)) - before
  const price = usdToAtomic(OPERATIONS[id].priceUsd)
  if (gained !== 0n && gained !== price) throw new Error(`${name}: moved ${gained}`)
  return {
    name,
    id,
    url,
    headers,
    moved: gained === price,
    status: response.status,
    saidUnknown: body.code === 'settlement_unknown',
  }
}

async function replays({ url, headers }: Cell): Promise<boolean> {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  return response.status === 200 && response.headers.get('idempotent-replayed') === 'true'
}
