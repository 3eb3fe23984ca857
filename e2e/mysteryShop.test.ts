import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, keyAt, WALLET_INDEX } from '@touchstone402/economy'
import type { Incident, Verdict } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { createShiftClock } from './support/shiftClock.ts'

const SELLERS = ['no-delivery', 'honest-v2', 'honest-v1', 'post-only', 'overpriced', 'testnet']
const HOUR = 3_600_000
const clock = createShiftClock()

let economy: Economy
let service: Service
let directory: string
const lines: string[] = []

beforeAll(async () => {
  economy = await startEconomy({
    sellers: allSellers.filter(({ id }) => SELLERS.includes(id)),
    clock: 'real',
  })
  directory = await mkdtemp(join(tmpdir(), 'touchstone-shopper-'))
  const keyFile = join(directory, 'key')
  await writeFile(keyFile, keyAt(WALLET_INDEX.shopper), { mode: 0o600 })
  service = await startService(economy, {
    clock,
    log: (_level, message) => lines.push(message),
    settings: {
      PORT: '0',
      PUBLIC_URL: 'https://trust.example',
      DATA_DIR: join(directory, 'data'),
      SHOPPER_KEY_FILE: keyFile,
      SHOPPER_PER_CALL_USD: '0.05',
      SHOPPER_PER_DAY_USD: '0.50',
    },
  })
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
  if (directory !== undefined) await rm(directory, { recursive: true, force: true })
})

const seller = (id: string) => {
  const handle = economy.sellers[id]
  if (handle === undefined) throw new Error(`no such seller: ${id}`)
  return handle
}
const verify = async (id: string) => {
  const response = await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(seller(id).url)}`)
  return (await response.json()) as Verdict
}
const purchases = (id: string) =>
  lines.filter((line) => line.startsWith(`test purchase at ${seller(id).url}: `))

test('default: two paid calls without a delivery raise no_delivery, and sellers that deliver keep their verdict', {
  timeout: 90_000,
}, async () => {
  const { address } = economy.wallets.shopper
  const funds = await economy.chain.usdcBalanceOf(address)
  await expect.poll(() => service.crawl().looks, { timeout: 20_000 }).toBeGreaterThanOrEqual(SELLERS.length)
  await expect.poll(() => service.crawl().due, { timeout: 20_000 }).toBe(0)

  await clock.advance(HOUR / 6)
  await expect.poll(() => purchases('no-delivery'), { timeout: 30_000 }).toHaveLength(1)
  expect((await verify('no-delivery')).verdict).toBe('safe')
  for (const id of ['honest-v2', 'honest-v1', 'post-only']) {
    await expect
      .poll(() => purchases(id), { timeout: 30_000 })
      .toEqual([`test purchase at ${seller(id).url}: settled true, delivered true`])
  }

  await clock.advance(HOUR + HOUR / 6)
  await expect
    .poll(async () => (await verify('no-delivery')).flags, { timeout: 30_000 })
    .toContain('no_delivery')
  expect(purchases('no-delivery')).toEqual(
    Array.from(
      { length: 2 },
      () => `test purchase at ${seller('no-delivery').url}: settled true, delivered false`,
    ),
  )
  const verdict = await verify('no-delivery')
  expect(verdict).toMatchObject({ verdict: 'avoid', riskLevel: 'high', status: 'live' })
  expect(verdict.score).toBeLessThanOrEqual(10)

  const feed = (await (await fetch(`${service.url}/incidents.json`)).json()) as { incidents: Incident[] }
  const honeypot = feed.incidents.find(({ kind }) => kind === 'honeypot')
  expect(honeypot).toMatchObject({ status: 'open', endpoint: seller('no-delivery').url })
  expect(honeypot?.observations).toHaveLength(2)
  // The proof is on chain: a payment from the shopper to this seller.
  const receipt = await economy.chain.publicClient.getTransactionReceipt({
    hash: honeypot?.proof.txHash as `0x${string}`,
  })
  const topics = receipt.logs.flatMap((log) => log.topics.map((topic) => topic.slice(-40)))
  expect(topics).toContain(address.slice(2).toLowerCase())
  expect(topics).toContain(seller('no-delivery').receiver.slice(2).toLowerCase())

  // Calls above the limit or on another network are not bought, and no seller that delivered is bought from twice a week.
  await clock.advance(2 * HOUR)
  await clock.settled()
  await expect.poll(() => service.crawl().due, { timeout: 20_000 }).toBe(0)
  expect([purchases('overpriced'), purchases('testnet')]).toEqual([[], []])
  const bought = SELLERS.flatMap((id) => purchases(id).map(() => Number(seller(id).spec.priceUsd) * 1e6))
  expect(bought).toHaveLength(5)
  const spent = funds - (await economy.chain.usdcBalanceOf(address))
  expect(spent).toBe(BigInt(bought.reduce((sum, price) => sum + price, 0)))
  for (const id of ['honest-v2', 'honest-v1', 'post-only']) expect((await verify(id)).flags).toEqual([])
})
