import { encodeBase64Json, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGuard, type GuardOptions } from '../integrations/createGuard.ts'
import { deliver, HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
import { startService, type TestService, termOf, USDC } from '../testing/service.ts'
import type { FetchLike } from '../types.ts'

// The client signs and sends arbitrary payments, so only the check of the paid leg stops them.
let service: TestService
let seller: TestSeller
let clock = Date.now()

const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const DOMAIN = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC as `0x${string}` }

beforeAll(async () => {
  service = await startService(() => clock)
  seller = await startSeller()
})
afterAll(async () => {
  await service.stop()
  await seller.stop()
})
beforeEach(() => {
  clock = Date.now()
  seller.payments.length = 0
  seller.character = {}
  service.decisions.set(`${seller.url}/x`, {
    verdict: 'safe',
    receiverStability: 'stable',
    probes: 9,
    terms: [termOf(HONEST, '10000')],
  })
})

type Forgery = {
  to?: string
  value?: string
  validAfter?: string
  validBefore?: string
  nonce?: string
  domain?: Partial<typeof DOMAIN>
  accepted?: Record<string, unknown>
  payload?: Record<string, unknown>
  from?: string
  signature?: string
}

async function signedHeader(forgery: Forgery = {}): Promise<string> {
  const seconds = Math.floor(clock / 1000)
  const authorization = {
    from: forgery.from ?? account.address,
    to: forgery.to ?? HONEST,
    value: forgery.value ?? '10000',
    validAfter: forgery.validAfter ?? '0',
    validBefore: forgery.validBefore ?? String(seconds + 60),
    nonce: forgery.nonce ?? `0x${'01'.repeat(32)}`,
  }
  const signature = await account.signTypedData({
    domain: { ...DOMAIN, ...forgery.domain },
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      from: authorization.from as `0x${string}`,
      to: authorization.to as `0x${string}`,
      nonce: authorization.nonce as `0x${string}`,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  })
  return encodeBase64Json({
    x402Version: 2,
    accepted: { scheme: 'exact', network: 'eip155:8453', asset: USDC, ...forgery.accepted },
    payload: { authorization, signature: forgery.signature ?? signature, ...forgery.payload },
  })
}

function guarded(options: GuardOptions = {}): { guard: ReturnType<typeof createGuard>; fetch: FetchLike } {
  const guard = createGuard({ service: { url: service.url }, now: () => clock, ...options })
  return { guard, fetch: guard.fetch() }
}

const send = (fetch: FetchLike, header: string, init: RequestInit = {}) =>
  fetch(`${seller.url}/x`, { ...init, headers: { 'PAYMENT-SIGNATURE': header } })

async function forged(forgery: Forgery): Promise<unknown> {
  const { fetch } = guarded()
  expect((await fetch(`${seller.url}/x`)).status).toBe(402)
  const code = await send(fetch, await signedHeader(forgery)).then(
    ({ status }) => status,
    (error) => error.code,
  )
  expect(seller.payments).toHaveLength(code === 200 ? 1 : 0)
  return code
}

describe('the paid leg', () => {
  test('default: sends the approved payment', async () => {
    expect(await forged({})).toBe(200)
  })

  test.each<[string, Forgery, string]>([
    ['another receiver', { to: THIEF }, 'OFFER_CHANGED'],
    ['a larger amount', { value: '10001' }, 'OFFER_CHANGED'],
    ['a smaller amount', { value: '9999' }, 'OFFER_CHANGED'],
    ['a longer lifetime', { validBefore: String(Math.floor(Date.now() / 1000) + 3600) }, 'OFFER_CHANGED'],
    ['no expiry', { validBefore: String(2n ** 256n - 1n) }, 'OFFER_CHANGED'],
    ['a start in the future', { validAfter: String(Math.floor(Date.now() / 1000) + 30) }, 'OFFER_CHANGED'],
    ['an expired authorization', { validBefore: '1' }, 'OFFER_CHANGED'],
    ['another chain', { accepted: { network: 'eip155:1' } }, 'OFFER_CHANGED'],
    ['another asset', { accepted: { asset: THIEF } }, 'OFFER_CHANGED'],
    ['the name of a v1 network', { accepted: { network: 'base' } }, 'PAYMENT_MALFORMED'],
    ['another scheme', { accepted: { scheme: 'upto' } }, 'PAYMENT_MALFORMED'],
    ['data beside the authorization', { payload: { permit2Authorization: {} } }, 'PAYMENT_MALFORMED'],
    ['no signature', { payload: { signature: undefined } }, 'PAYMENT_MALFORMED'],
    ['a short nonce', { payload: { authorization: { nonce: '0x01' } } }, 'PAYMENT_MALFORMED'],
    ['another sender', { from: THIEF }, 'SIGNATURE_INVALID'],
    ['a signature for another contract', { domain: { verifyingContract: THIEF } }, 'SIGNATURE_INVALID'],
    ['a signature for another chain', { domain: { chainId: 1 } }, 'SIGNATURE_INVALID'],
    ['a signature under another name', { domain: { name: 'Permit2' } }, 'SIGNATURE_INVALID'],
    ['an all-zero signature', { signature: `0x${'00'.repeat(65)}` }, 'SIGNATURE_INVALID'],
  ])('error: refuses a payment with %s', async (_, forgery, code) => {
    expect(await forged(forgery)).toBe(code)
  })

  test('error: refuses a payment without an approval', async () => {
    const { fetch } = guarded()
    await expect(send(fetch, await signedHeader())).rejects.toMatchObject({
      name: 'OfferMismatchError',
      code: 'NO_INTENT',
    })
    expect(seller.payments).toEqual([])
  })

  test('error: permits one payment per approval, for one method and URL', async () => {
    const { fetch } = guarded()
    await fetch(`${seller.url}/x`)
    const header = await signedHeader()
    await expect(send(fetch, header, { method: 'POST' })).rejects.toMatchObject({ code: 'NO_INTENT' })
    const headers = { 'PAYMENT-SIGNATURE': header }
    await expect(fetch(`${seller.url}/x?more=1`, { headers })).rejects.toMatchObject({ code: 'NO_INTENT' })
    await expect(fetch(`${seller.url}/y`, { headers })).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect((await send(fetch, header)).status).toBe(200)
    await expect(send(fetch, header)).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect(seller.payments).toHaveLength(1)
  })

  test('error: refuses a request with both payment headers', async () => {
    const { fetch } = guarded()
    await fetch(`${seller.url}/x`)
    const header = await signedHeader()
    const headers = { 'payment-signature': header, 'x-payment': header }
    await expect(fetch(`${seller.url}/x`, { headers })).rejects.toMatchObject({ code: 'PAYMENT_MALFORMED' })
    expect(seller.payments).toEqual([])
  })

  test('error: detects a fetch that follows redirects', async () => {
    seller.character = {
      before: (request, response) =>
        'payment-signature' in request.headers &&
        !request.url?.includes('again') &&
        Boolean(response.writeHead(307, { location: '/x?again' }).end()),
    }
    const guard = createGuard({ service: { url: service.url }, now: () => clock })
    const stubborn = guard.fetch((input, init) => fetch(input, { ...init, redirect: 'follow' }))
    await stubborn(`${seller.url}/x`)
    await expect(send(stubborn, await signedHeader())).rejects.toMatchObject({
      code: 'REDIRECT_AFTER_PAYMENT',
    })
    await expect(stubborn(`${seller.url}/x?2`)).rejects.toMatchObject({ code: 'NO_DELIVERY_STRIKE' })
  })

  test('behavior: refuses one payment for two approvals', async () => {
    const { fetch } = guarded()
    const headers = { 'Touchstone-Call-Key': '2' }
    await Promise.all([fetch(`${seller.url}/x`), fetch(`${seller.url}/x`, { headers })])
    const header = await signedHeader()
    await send(fetch, header)
    await expect(send(fetch, header)).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect(seller.payments).toHaveLength(1)
  })

  test('behavior: releases an unused approval after two minutes', async () => {
    const { fetch, guard } = guarded({ policy: { maxPerDayUsd: '0.01' } })
    await fetch(`${seller.url}/x`)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    await expect(fetch(`${seller.url}/x?2`)).rejects.toMatchObject({ code: 'OVER_DAY_LIMIT' })
    clock += 121_000
    await expect(send(fetch, await signedHeader())).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect(guard.ledger.totals().usdMicros).toBe(0n)
    await fetch(`${seller.url}/x`)
    expect((await send(fetch, await signedHeader())).status).toBe(200)
  })

  test('behavior: counts a payment without a response as spent', async () => {
    const { fetch, guard } = guarded()
    seller.character = { onPaid: (request) => request.destroy() }
    await fetch(`${seller.url}/x`)
    await expect(send(fetch, await signedHeader())).rejects.toMatchObject({
      code: 'NO_ANSWER',
      cause: { message: 'fetch failed' },
      payment: { amountUsd: '0.01', to: HONEST, state: 'sent', retryResends: true },
    })
    clock += 100_000
    await expect(fetch(`${seller.url}/x`)).rejects.toMatchObject({
      code: 'PAYMENT_UNRESOLVED',
      details: expect.stringContaining('judged anew from'),
      resetsAt: expect.any(String),
    })
    // Ten minutes after its end nobody can collect it. The call is judged anew, and both count.
    clock += 86_400_000
    await expect(fetch(`${seller.url}/x`)).resolves.toMatchObject({ status: 402 })
    expect(guard.ledger.totals().usdMicros).toBe(20_000n)
  })

  test('behavior: counts a payment answered with a server error as spent and undelivered', async () => {
    const { fetch, guard } = guarded()
    seller.character = { onPaid: (_, response) => void response.writeHead(500).end('oops') }
    await fetch(`${seller.url}/x`)
    const response = await send(fetch, await signedHeader())
    expect([response.status, await response.text()]).toEqual([500, 'oops'])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    await expect(fetch(`${seller.url}/x?2`)).rejects.toMatchObject({ code: 'NO_DELIVERY_STRIKE' })
  })

  test('behavior: returns the paid response with its URL, headers and body', async () => {
    const { fetch } = guarded()
    seller.character = {
      onPaid(_, response) {
        response.setHeader('x-kind', 'weather')
        deliver(response, 'a'.repeat(300_000))
      },
    }
    await fetch(`${seller.url}/x`)
    const response = await send(fetch, await signedHeader())
    expect(response.url).toBe(`${seller.url}/x`)
    expect(response.headers.get('x-kind')).toBe('weather')
    expect(await response.text()).toBe('a'.repeat(300_000))
  })

  test('behavior: accepts a contract wallet only if the verifier does', async () => {
    const contract = { from: THIEF, signature: `0x${'ab'.repeat(100)}` }
    expect(await forged(contract)).toBe('SIGNATURE_INVALID')
    const questions: unknown[] = []
    const { fetch } = guarded({
      async verifySignature(question) {
        questions.push(question)
        return true
      },
    })
    await fetch(`${seller.url}/x`)
    expect((await send(fetch, await signedHeader(contract))).status).toBe(200)
    expect(questions).toMatchObject([{ network: 'eip155:8453', from: THIEF, signature: contract.signature }])
  })
})
