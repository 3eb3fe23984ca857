import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Incident, Verdict } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { useService } from '../support/economy.ts'
import { paidRequests } from '../support/sellers.ts'
import { createStockBuyer } from '../support/stockBuyer.ts'

const { economy, service, lines } = await useService()

const seller = (id: string) => {
  const handle = economy.sellers[id]
  if (handle === undefined) throw new Error(`no such seller: ${id}`)
  return handle
}
const read = async (path: string) => (await fetch(service.url + path)).json()
const verify = (id: string): Promise<Verdict> =>
  read(`/verify?endpoint=${encodeURIComponent(seller(id).url)}`)
const purchases = (id: string) =>
  lines.filter((line) => line.startsWith(`test purchase at ${seller(id).url}: `))
const bought = (id: string, delivered: boolean) =>
  `test purchase at ${seller(id).url}: settled true, delivered ${delivered}`

/** Returns who paid the seller without delivery in a transaction. */
async function payerOnChain({ txHash }: { txHash: `0x${string}` }): Promise<string | undefined> {
  const { logs } = await economy.chain.publicClient.getTransactionReceipt({ hash: txHash })
  const receiver = seller('no-delivery').receiver.slice(2).toLowerCase()
  const [paid] = logs.filter(({ topics }) => topics[2]?.endsWith(receiver))
  return paid?.topics[1]
}

test('default: two paid calls without a delivery raise no_delivery, with the evidence on chain', async () => {
  expect(purchases('no-delivery')).toEqual([bought('no-delivery', false), bought('no-delivery', false)])
  const verdict = await verify('no-delivery')
  expect(verdict).toMatchObject({ verdict: 'avoid', riskLevel: 'high', status: 'live' })
  expect(verdict.flags).toContain('no_delivery')
  expect(verdict.score).toBeLessThanOrEqual(10)

  const { incidents }: { incidents: Incident[] } = await read('/incidents.json')
  const honeypot = incidents.find(({ kind }) => kind === 'honeypot')
  expect(honeypot).toMatchObject({ status: 'open', endpoint: seller('no-delivery').url })
  expect(honeypot?.observations).toHaveLength(2)
  // The evidence is published with what came back.
  const page = await read(`/incidents/${honeypot?.id}.json`)
  expect(page.purchases).toHaveLength(2)
  expect(page.purchases[0]).toMatchObject({
    amountAtomic: '10000',
    settled: true,
    delivered: false,
    httpStatus: 502,
    excerpt: 'Bad Gateway',
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  // The proof is on chain: payments to this seller, from two accounts, as a failed purchase is repeated from another.
  const payers = await Promise.all(page.purchases.map(payerOnChain))
  expect(new Set(payers).size).toBe(2)
  expect(page.purchases.map(({ txHash }: { txHash: string }) => txHash)).toContain(honeypot?.proof.txHash)
})

test('behavior: sellers that deliver are bought from once a week and keep their verdict; dear calls and test networks are not bought', async () => {
  for (const id of ['honest-v2', 'honest-v1', 'post-only']) {
    expect(purchases(id)).toEqual([bought(id, true)])
    expect((await verify(id)).flags).toEqual([])
  }
  expect([purchases('overpriced'), purchases('testnet')]).toEqual([[], []])
})

const toLoopback: LookupFunction = (_name, { all }, answer) => {
  if (all) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}

test('rule 13: a purchase has the request of a stock client', async () => {
  // Not by its address: a published purchase retires the account that paid, and the next one buys.
  const bots = new Set<unknown>(economy.wallets.bots.map(({ address }) => address))
  const ours = paidRequests.find((raw) => !bots.has(payerOf(raw)))
  const stock = createStockBuyer(economy, 0, fetch)
  const { lookup } = dns
  // The names of the economy are on loopback.
  dns.lookup = toLoopback as typeof dns.lookup
  const response = await stock(seller('honest-v2').url).finally(() => {
    dns.lookup = lookup
  })
  expect(response.status).toBe(200)
  const theirs = paidRequests.at(-1)
  expect(describeRequest(ours ?? [])).toEqual(describeRequest(theirs ?? []))
})

const pairsOf = (raw: readonly string[]) =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))

const paymentOf = (value: string) => JSON.parse(Buffer.from(value, 'base64').toString())

function payerOf(raw: readonly string[]): unknown {
  const [, value = ''] = pairsOf(raw).find(([name]) => name.toLowerCase() === 'payment-signature') ?? []
  return paymentOf(value).payload.authorization.from
}

/** Names and values of headers in their order, with the fields of the payment instead of its value. */
function describeRequest(raw: readonly string[]): unknown[] {
  return pairsOf(raw).map(([name, value]) => {
    if (name.toLowerCase() !== 'payment-signature') return [name, value]
    const { payload, ...rest } = paymentOf(value)
    return [name, Object.keys(payload), Object.keys(payload.authorization), rest]
  })
}
