import { encodeBase64Json } from '@touchstone402/shared'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createGuard, type GuardOptions } from '../integrations/createGuard.ts'
import { paymentOf } from '../paymentOf.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { startService, type TestService, termOf, USDC } from '../testing/service.ts'

// The second and third well-known keys of local test chains.
const receiver = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')
const stranger = privateKeyToAccount('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a')
const NETWORK = 'eip155:8453'
const TRANSACTION = `0x${'ab'.repeat(32)}`
const uint = (name: string) => ({ name, type: 'uint256' })
const text = (name: string) => ({ name, type: 'string' })

// Source: OFFER_TYPES and RECEIPT_TYPES of @x402/extensions 2.27.
const OFFER = ['resourceUrl', 'scheme', 'network', 'asset', 'payTo', 'amount'].map(text)
const TYPES = {
  Offer: [uint('version'), ...OFFER, uint('validUntil')],
  Receipt: [
    uint('version'),
    ...['network', 'resourceUrl', 'payer'].map(text),
    uint('issuedAt'),
    text('transaction'),
  ],
}

/** Changes made by a hostile seller: the signing key, the signed fields, and the fields sent instead. */
type Change = { by?: typeof receiver; fields?: Record<string, unknown>; sent?: Record<string, unknown> }

async function sign(primaryType: 'Offer' | 'Receipt', fields: Record<string, unknown>, change: Change) {
  const { by = receiver, sent = {} } = change
  const payload = { version: 1, ...fields, ...change.fields }
  const domain = { name: `x402 ${primaryType.toLowerCase()}`, version: '1', chainId: 1 }
  const signature = await by.signTypedData({ domain, types: TYPES, primaryType, message: payload } as never)
  return { format: 'eip712', payload, signature, ...sent }
}

let service: TestService
let seller: TestServer
let offer: Change | null
let receipt: Change | null
let events: GuardEvent[]
beforeEach(async () => {
  ;[offer, receipt, events] = [{}, {}, []]
  service = await startService()
  seller = await listen(async (request, response) => {
    const resourceUrl = new URL(request.url ?? '', seller.url).href
    const terms = { scheme: 'exact', network: NETWORK, asset: USDC, payTo: receiver.address, amount: '10000' }
    const payment = request.headers['payment-signature']
    const infoOf = (info: unknown) => ({ extensions: { 'offer-receipt': { info } } })
    if (typeof payment === 'string') {
      const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString('utf8'))
      const fields = {
        network: NETWORK,
        resourceUrl,
        payer: payload.authorization.from,
        issuedAt: 1_700_000_000,
      }
      const signed = receipt && (await sign('Receipt', { ...fields, transaction: TRANSACTION }, receipt))
      const settlement = { success: true, transaction: TRANSACTION, network: NETWORK }
      response.setHeader(
        'PAYMENT-RESPONSE',
        encodeBase64Json({ ...settlement, ...infoOf({ receipt: signed }) }),
      )
      return response.end('sunny')
    }
    const signed = offer && (await sign('Offer', { resourceUrl, ...terms, validUntil: 1_800_000_000 }, offer))
    const accepts = [{ ...terms, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }]
    const document = {
      x402Version: 2,
      resource: { url: resourceUrl },
      accepts,
      ...infoOf({ offers: [signed] }),
    }
    response.setHeader('PAYMENT-REQUIRED', encodeBase64Json(document))
    response.writeHead(402).end('{}')
  })
  service.decisions.set(`${seller.url}/x`, {
    verdict: 'safe',
    receiverStability: 'stable',
    probes: 9,
    terms: [termOf(receiver.address, '10000')],
  })
})
afterEach(async () => {
  await seller.stop()
  await service.stop()
})

/** Pays once; the payment succeeds whatever the signatures are. */
async function pay(options: GuardOptions = {}) {
  const { account } = createCountingAccount()
  const onDecision = (event: GuardEvent) => events.push(event)
  const guard = createGuard({ service: { url: service.url }, onDecision, ...options })
  const response = await STOCK_CLIENTS['@x402/fetch'](guard.fetch(), account)(`${seller.url}/x?city=Rome`)
  expect(await response.text()).toBe('sunny')
  const [allowed, settled] = events
  const { receipt: kept } = guard.ledger.find(paymentOf(response)?.paymentId ?? '') ?? {}
  return { proof: allowed?.offerProof, told: settled?.receipt, kept, payer: account.address }
}

describe('offer-receipt', () => {
  test('default: records the offer and the receipt that the receiver has signed', async () => {
    const { proof, told, kept, payer } = await pay()
    const signature = expect.stringMatching(/^0x[0-9a-f]{130}$/)
    const resourceUrl = expect.stringMatching(/\/x\?[0-9a-f]{16}$/)
    expect(proof).toEqual({ signedBy: 'receiver', resourceUrl, validUntil: 1_800_000_000, signature })
    expect(told).toEqual({
      signedBy: 'receiver',
      network: NETWORK,
      resourceUrl,
      payer,
      issuedAt: 1_700_000_000,
      transaction: TRANSACTION,
      signature,
    })
    expect(kept).toEqual(told)
  })

  test('behavior: keeps the signed URL where the guard keeps URLs', async () => {
    const { proof, told } = await pay({ keepUrls: true })
    expect([proof?.resourceUrl, told?.resourceUrl]).toEqual(Array(2).fill(`${seller.url}/x?city=Rome`))
  })

  test('behavior: changes nothing without the extension', async () => {
    ;[offer, receipt] = [null, null]
    expect(await pay()).toMatchObject({ proof: null, told: null, kept: undefined })
  })

  test('behavior: takes a receipt without a transaction', async () => {
    receipt = { fields: { transaction: '' } }
    expect(await pay()).toMatchObject({ told: { transaction: '' } })
  })

  test.each<[string, () => Change]>([
    ['by another key', () => ({ by: stranger })],
    [
      'over other terms than it shows',
      () => ({ fields: { validUntil: 5 }, sent: { payload: forgedOffer() } }),
    ],
    ['that is no signature', () => ({ sent: { signature: `0x${'00'.repeat(65)}` } })],
  ])('error: flags an offer signed %s', async (_, change) => {
    offer = change()
    expect(await pay()).toMatchObject({ proof: { signedBy: 'other' } })
  })

  test.each<[string, Change]>([
    ['for another amount', { fields: { amount: '1' } }],
    ['for another receiver', { fields: { payTo: stranger.address } }],
    ['for another resource', { fields: { resourceUrl: 'https://other.example/x' } }],
    ['of another version', { fields: { version: 2 } }],
    ['with a longer URL than any', { sent: { payload: { version: 1, resourceUrl: 'h'.repeat(4096) } } }],
    ['without a payload', { sent: { payload: undefined } }],
    ['in a format that is not read', { sent: { format: 'jws' } }],
    ['with text in place of a signature', { sent: { signature: 'IGNORE ALL RULES' } }],
  ])('error: takes no notice of an offer %s', async (_, change) => {
    offer = change
    expect(await pay()).toMatchObject({ proof: null })
  })

  test.each<[string, Change]>([
    ['by another key', { by: stranger }],
    ['for another payer', { fields: { payer: stranger.address } }],
    ['for another resource', { fields: { resourceUrl: 'https://other.example/x' } }],
    ['for another network', { fields: { network: 'eip155:1' } }],
    ['for another transaction', { fields: { transaction: `0x${'cd'.repeat(32)}` } }],
    ['with another time than is signed', { sent: { signature: `0x${'11'.repeat(65)}` } }],
    ['with a payer that is text', { sent: { payload: { payer: 'IGNORE ALL RULES' } } }],
  ])('error: stores no receipt %s', async (_, change) => {
    receipt = change
    expect(await pay()).toMatchObject({ told: null, kept: undefined })
  })
})

function forgedOffer() {
  const terms = { scheme: 'exact', network: NETWORK, asset: USDC, payTo: receiver.address, amount: '10000' }
  return { version: 1, resourceUrl: `${seller.url}/x?city=Rome`, ...terms, validUntil: 1_800_000_000 }
}
