import { once } from 'node:events'
import { get } from 'node:http'
import { decodeBase64Json, encodeBase64Json } from '@touchstone402/shared'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGuard, type GuardOptions } from '../../integrations/createGuard.ts'
import { CLIENT_NAMES, STOCK_CLIENTS } from '../../testing/clients.ts'
import { createTestAccount, type SellerOptions, startSeller, startService } from './index.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

/** Starts a seller, and an agent that pays it without a guard, or under one. */
async function setUp(options: SellerOptions = {}, name = CLIENT_NAMES[0]) {
  const seller = await startSeller(options)
  open.push(seller)
  const account = createTestAccount()
  const bare = STOCK_CLIENTS[name ?? '@x402/fetch'](fetch, account as never)
  const underGuard = (given: GuardOptions = {}) =>
    STOCK_CLIENTS[name ?? '@x402/fetch'](createGuard(given).fetch(), account as never)
  return { seller, account, bare, underGuard, url: `${seller.url}/weather` }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code }) => code,
  )

describe('startSeller', () => {
  test.each(CLIENT_NAMES)('default: is paid by %s, and records what it could settle', async (name) => {
    const { seller, account, bare, url } = await setUp({ priceUsd: '0.02', body: '{"sky":"blue"}' }, name)
    const response = await bare(url, { method: 'POST', body: 'a city' })
    expect([response.status, await response.json()]).toEqual([200, { sky: 'blue' }])
    const { transaction } = decodeBase64Json(response.headers.get('payment-response') ?? '') ?? {}
    expect(seller.payments).toEqual([
      {
        amountUsd: '0.02',
        payTo: seller.payTo,
        from: account.address,
        nonce: transaction,
        validBefore: expect.any(Number),
        urls: [url],
      },
    ])
    expect([seller.requests, account.signatures]).toEqual([2, 1])
    expect(JSON.stringify(seller.payments)).not.toContain('signature')
  })

  test('behavior: two sellers and two accounts have nothing in common', async () => {
    const [one, other] = [await setUp(), await setUp()]
    expect(one.seller.payTo).not.toBe(other.seller.payTo)
    expect(one.account.address).not.toBe(other.account.address)
  })

  test('behavior: takes from a client without a guard what each behavior says', async () => {
    const outcomes: Record<string, unknown> = {}
    for (const behavior of [
      ...(['delivers', 'swaps_receiver', 'raises_price', 'asks_again'] as const),
      ...(['fails', 'delivers_nothing', 'redirects', 'hangs'] as const),
    ]) {
      const { seller, bare, url } = await setUp({ behavior })
      const giveUp = new AbortController()
      const answered = bare(url, { signal: giveUp.signal }).catch(() => null)
      await vi.waitFor(() => expect(seller.payments).toHaveLength(1), 10_000)
      if (behavior === 'hangs') giveUp.abort()
      const response = await answered
      const [payment] = seller.payments
      outcomes[behavior] = [
        response && `${response.status} ${(await response.text()).length > 0 ? 'body' : 'empty'}`,
        `$${payment?.amountUsd} to ${payment?.payTo === seller.payTo ? 'seller' : 'thief'}`,
        ...(payment?.urls.map((one) => new URL(one).hostname) ?? []),
      ]
    }
    expect(outcomes).toEqual({
      delivers: ['200 body', '$0.01 to seller', '127.0.0.1'],
      swaps_receiver: ['200 body', '$0.01 to thief', '127.0.0.1'],
      raises_price: ['200 body', '$1 to seller', '127.0.0.1'],
      asks_again: ['402 body', '$0.01 to seller', '127.0.0.1'],
      fails: ['503 body', '$0.01 to seller', '127.0.0.1'],
      delivers_nothing: ['200 empty', '$0.01 to seller', '127.0.0.1'],
      redirects: ['200 body', '$0.01 to seller', '127.0.0.1', 'localhost'],
      hangs: [null, '$0.01 to seller', '127.0.0.1'],
    })
  })

  test.each([
    ['swaps_receiver', 'RECEIVER_PIN_MISMATCH', 1],
    ['raises_price', 'PRICE_NOT_USUAL', 1],
    ['redirects', 'REDIRECT_AFTER_PAYMENT', 2],
  ] as const)('behavior: under a guard %s ends with %s', async (behavior, code, signatures) => {
    const { seller, account, underGuard, url } = await setUp({ priceUsd: '0.001' })
    const pay = underGuard()
    await (await pay(url)).text()
    seller.behavior = behavior
    expect([await codeOf(pay(url)), account.signatures]).toEqual([code, signatures])
    expect(seller.payments.flatMap(({ urls }) => urls)).toEqual(Array(signatures).fill(url))
  })

  test('behavior: a payment that is sent again is one payment', async () => {
    const { seller, account, underGuard, url } = await setUp({ behavior: 'fails' })
    const pay = underGuard()
    expect((await pay(url)).status).toBe(503)
    seller.behavior = 'delivers'
    expect((await pay(url)).status).toBe(200)
    expect([account.signatures, seller.payments]).toMatchObject([1, [{ urls: [url, url] }]])
  })

  test('error: takes no payment that the token would refuse, and says why', async () => {
    let time = Date.now()
    const { seller, bare, url } = await setUp({ now: () => time })
    let header = ''
    const spy = STOCK_CLIENTS['@x402/fetch'](async (input, init) => {
      const request = new Request(input, init)
      header = request.headers.get('payment-signature') ?? header
      return request.headers.has('payment-signature') ? new Response() : fetch(request)
    }, createTestAccount() as never)
    await spy(url)
    const document = decodeBase64Json(header) as { payload: { authorization: Record<string, string> } }
    const send = async (value: string) => {
      const response = await fetch(url, { headers: { 'payment-signature': value } })
      return `${response.status} ${((await response.json()) as { error?: string }).error}`
    }
    const changed = (change: Record<string, string>) => {
      const authorization = { ...document.payload.authorization, ...change }
      return encodeBase64Json({ ...document, payload: { ...document.payload, authorization } })
    }
    expect(await send('garbage')).toBe('402 Malformed payment')
    expect(await send(changed({ value: '1' }))).toBe('402 The payer has not signed this payment')
    const payTo = seller.payTo.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    expect(await send(changed({ to: payTo }))).toBe('402 The payer has not signed this payment')
    time += 86_400_000
    expect(await send(header)).toBe('402 Expired, or not valid yet')
    time -= 86_400_000
    for (const options of [{ payTo: seller.payTo, priceUsd: '0.02' }, {}]) {
      const other = await setUp(options)
      const { status } = await fetch(other.url, { headers: { 'payment-signature': header } })
      expect([status, other.seller.payments]).toEqual([402, []])
    }
    expect(seller.payments).toEqual([])
    await bare(url)
    expect(seller.payments).toHaveLength(1)
  })

  test('error: answers a request whose target is no URL', async () => {
    const { seller } = await setUp()
    const { hostname, port } = new URL(seller.url)
    const [answer] = await once(get({ hostname, port, path: '//[' }), 'response')
    expect(answer.statusCode).toBe(402)
    answer.resume()
  })

  test('error: names what it cannot sell for', async () => {
    await expect(startSeller({ priceUsd: '$1' })).rejects.toThrow('expected a decimal number')
    await expect(startSeller({ network: 'solana:x' })).rejects.toThrow('expected an EVM network with USDC')
  })

  test('behavior: sells on a test network, and listens on 127.0.0.1 until it is closed', async () => {
    const { seller, bare, url } = await setUp({ network: 'eip155:84532', behavior: 'hangs' })
    const answer = bare(url)
    const ends = expect(answer).rejects.toThrow()
    await expect.poll(() => seller.payments.length).toBe(1)
    await expect(fetch(url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow()
    await seller.close()
    await ends
    await expect(fetch(url)).rejects.toThrow()
  })
})

describe('startService', () => {
  test('default: signs the configured verdicts, and unknown for every other URL', async () => {
    await using service = await startService()
    const { seller, underGuard, account, url } = await setUp({ priceUsd: '0.50' })
    const options = { service: { url: service.url, jwksThumbprint: service.thumbprint } }
    // Above the limit for an endpoint without a verdict.
    expect(await codeOf(underGuard(options)(url))).toBe('VERDICT_UNKNOWN')
    service.say(url, { verdict: 'safe', terms: seller.terms })
    expect((await underGuard(options)(url)).status).toBe(200)
    service.say(`${url}?city=Rome#now`, { verdict: 'avoid' })
    expect(await codeOf(underGuard(options)(url))).toBe('VERDICT_AVOID')
    service.say(url, { verdict: 'caution', terms: seller.terms })
    expect(await codeOf(underGuard(options)(url))).toBe('VERDICT_CAUTION')
    expect([account.signatures, service.asked]).toEqual([1, [url, url, url, url]])
  })

  test('behavior: is down until it is up again', async () => {
    await using service = await startService()
    const { seller, underGuard, url } = await setUp()
    service.say(url, { verdict: 'safe', terms: seller.terms })
    service.isDown = true
    expect(await codeOf(underGuard({ service: { url: service.url } })(url))).toBe('VERDICT_UNAVAILABLE')
    service.isDown = false
    expect((await underGuard({ service: { url: service.url } })(url)).status).toBe(200)
  })

  test('behavior: its verdicts hold for an hour of the given clock', async () => {
    const time = Date.UTC(2020, 0)
    await using service = await startService({ now: () => time })
    service.say('https://api.example.com', { verdict: 'safe' })
    const stateAt = (now: number) =>
      createGuard({ service: { url: service.url }, now: () => now }).verdict('https://api.example.com')
    expect(await stateAt(time)).toMatchObject({
      state: 'signed',
      verdict: { verdict: 'safe', score: 95, expiresAt: '2020-01-01T01:00:00.000Z' },
    })
    expect(await stateAt(time + 3_600_000)).toMatchObject({ state: 'unavailable' })
  })
})
