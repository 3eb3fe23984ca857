import dns from 'node:dns'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, keyAt, type SellerSpec, WALLET_INDEX } from '@touchstone402/economy'
import type { Incident, Verdict } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { createShiftClock } from './support/shiftClock.ts'

const SELLERS = ['no-delivery', 'honest-v2', 'honest-v1', 'post-only', 'overpriced', 'testnet']

const toLoopback: LookupFunction = (_name, { all }, answer) => {
  if (all) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}

/** Raw headers of the paid requests to `honest-v2`. */
const paidRequests: (readonly string[])[] = []

/** Records the paid requests to a seller. */
const recording = (spec: SellerSpec): SellerSpec => ({
  ...spec,
  create(context) {
    const seller = spec.create(context)
    return {
      ...seller,
      handle(request, response) {
        if (request.headers['payment-signature'] !== undefined) paidRequests.push(request.rawHeaders)
        seller.handle(request, response)
      },
    }
  },
})
const HOUR = 3_600_000
const clock = createShiftClock()

let economy: Economy
let service: Service
let directory: string
const lines: string[] = []

beforeAll(async () => {
  economy = await startEconomy({
    sellers: allSellers
      .filter(({ id }) => SELLERS.includes(id))
      .map((spec) => (spec.id === 'honest-v2' ? recording(spec) : spec)),
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
  await expect.poll(() => service.crawl().probes, { timeout: 20_000 }).toBeGreaterThanOrEqual(SELLERS.length)
  await expect.poll(() => service.crawl().due, { timeout: 20_000 }).toBe(0)

  // Hosts that were found are asked for their own documents at the next reading, and nothing is bought before.
  await clock.advance(7 * HOUR)
  await clock.settled()
  await expect.poll(() => service.crawl().due, { timeout: 20_000 }).toBe(0)
  await clock.advance(HOUR + HOUR / 6)
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
  // The evidence is published with what came back, and its account pays no more.
  const shown = (await (await fetch(`${service.url}/incidents.json`)).json()) as { incidents: Incident[] }
  const found = shown.incidents.find(({ kind }) => kind === 'honeypot')
  const page = await (await fetch(`${service.url}/incidents/${found?.id}.json`)).json()
  expect(page.purchases).toHaveLength(2)
  expect(page.purchases[0]).toMatchObject({
    ...{ amountAtomic: '10000', settled: true, delivered: false, httpStatus: 502, excerpt: 'Bad Gateway' },
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })

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

test('rule 13: a purchase has the request of a stock client', async () => {
  expect(paidRequests).toHaveLength(1)
  const client = registerExactEvmScheme(new x402Client(), { signer: economy.wallets.bots[0] as never })
  const { url } = seller('honest-v2')
  const stock = wrapFetchWithPayment(fetch, client)
  const { lookup } = dns
  // The names of the economy are on loopback.
  dns.lookup = toLoopback as typeof dns.lookup
  const response = await stock(url).finally(() => {
    dns.lookup = lookup
  })
  expect(response.status).toBe(200)
  const [ours, theirs] = paidRequests.map(describeRequest)
  expect(ours).toEqual(theirs)
})

/** Names and values of headers in their order, with the fields of the payment instead of its value. */
function describeRequest(raw: readonly string[]): unknown[] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []))
  return pairs.map(([name = '', value = '']) => {
    if (name.toLowerCase() !== 'payment-signature') return [name, value]
    const { payload, ...rest } = JSON.parse(Buffer.from(value, 'base64').toString())
    return [name, Object.keys(payload), Object.keys(payload.authorization), rest]
  })
}
