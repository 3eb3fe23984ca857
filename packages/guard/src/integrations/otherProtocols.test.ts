import { decodeChallenge, encodeBase64Json } from '@touchstone402/shared'
import fc from 'fast-check'
import { Challenge } from 'mppx'
import { evm as evmClient, Mppx as MppxClient, Transport, tempo } from 'mppx/client'
import { assets } from 'mppx/evm'
import { evm, Mppx } from 'mppx/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isGuardError } from '../errors.ts'
import type { GuardEvent } from '../events.ts'
import { createMpp } from '../mpp/createMpp.ts'
import { addOffers } from '../mpp/offers.ts'
import { rewriteChallenge } from '../paying/challenge.ts'
import type { MppMethods } from '../paying/scheme.ts'
import { paymentOf } from '../paymentOf.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { type Character, HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
import { startService, type TestService, termOf, USDC } from '../testing/service.ts'
import type { FetchLike } from '../types.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'

let service: TestService
let seller: TestSeller
let url: string
let sent: Headers[]

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  seller = await startSeller()
  url = `${seller.url}/weather`
  sent = []
  know(url)
})
afterEach(() => seller.stop())

function know(endpoint: string, amount = '1000') {
  const measured = { probes: 9, terms: [termOf(HONEST, amount)] }
  service.decisions.set(endpoint, { verdict: 'safe', receiverStability: 'stable', ...measured })
}

/** A guard under a recording fetch, with a wallet of each stock client above it. */
function setUp(options: GuardOptions = {}, mpp: MppMethods | null = createMpp()) {
  const events: GuardEvent[] = []
  const { account, counter } = createCountingAccount()
  const onDecision = (event: GuardEvent) => void events.push(event)
  const guard = createGuard({ service: { url: service.url }, onDecision, ...(mpp && { mpp }), ...options })
  const inner: FetchLike = (input, init) => {
    sent.push(new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined)))
    return fetch(input, init)
  }
  const fetchBelow = guard.fetch(inner) as typeof fetch
  const mppx = (signer: typeof account = account) => {
    const methods = [evmClient.charge({ account: signer, currencies: [assets.base.USDC] })]
    return MppxClient.create({ fetch: fetchBelow, methods, polyfill: false }).fetch
  }
  const outcome = async (call: Promise<Response>) =>
    call.then(
      (response) => response.status,
      (error: unknown) => (isGuardError(error) ? error.code : String(error)),
    )
  return { guard, counter, events, account, fetchBelow, mppx, outcome }
}

const spent = ({ guard }: ReturnType<typeof setUp>) => guard.ledger.totals().usdMicros
const credentials = () => sent.flatMap((headers) => headers.get('authorization') ?? [])

const charge = (change: Record<string, unknown> = {}, params: Record<string, unknown> = {}) =>
  Challenge.serialize(
    Challenge.from({
      id: 'x1',
      realm: '127.0.0.1',
      method: 'evm',
      intent: 'charge',
      expires: new Date(Date.now() + 240_000).toISOString(),
      request: {
        amount: '1000',
        currency: USDC,
        recipient: HONEST,
        methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
        ...change,
      },
      ...params,
    } as never),
  )
const theft = () => charge({ amount: '900000', recipient: THIEF })

/** Makes the seller's 402 carry challenges of other protocols. */
function askBy(
  authenticate: () => string | string[],
  character: Character = { terms: [{ amount: '1000' }] },
) {
  seller.character = {
    before(_, response) {
      response.setHeader('WWW-Authenticate', authenticate())
      return false
    },
    ...character,
  }
}
const noX402: Character = { versions: [] }

describe('a 402 that asks by several protocols', () => {
  test('default: the theft by a second protocol is refused, and an x402 library pays nothing either', async () => {
    askBy(theft)
    const kit = setUp({ policy: { maxPerPaymentUsd: '0.05' } })
    expect(await kit.outcome(kit.mppx()(url))).toBe('RECEIVERS_CONFLICT')
    const x402 = STOCK_CLIENTS['@x402/fetch'](kit.fetchBelow, kit.account)
    expect(await kit.outcome(x402(url))).toBe('RECEIVERS_CONFLICT')
    expect(credentials()).toEqual([])
    expect(seller.payments).toEqual([])
    expect(kit.counter.signatures).toBe(0)
    expect(spent(kit)).toBe(0n)
  })

  test('behavior: without the option mpp only the honest x402 offer is shown, and paid', async () => {
    askBy(theft)
    for (const pay of ['mppx', '@x402/fetch'] as const) {
      const kit = setUp({ policy: { maxPerPaymentUsd: '0.05' } }, null)
      const paying = pay === 'mppx' ? kit.mppx() : STOCK_CLIENTS[pay](kit.fetchBelow, kit.account)
      expect(await kit.outcome(paying(url))).toBe(200)
      expect(spent(kit)).toBe(1000n)
    }
    expect(seller.payments).toHaveLength(2)
    expect(credentials()).toEqual([])
  })

  test('behavior: without the guard the stock client pays the thief', async () => {
    askBy(theft)
    const { account } = createCountingAccount()
    const stolen: string[] = []
    const inner: typeof fetch = async (input, init) => {
      const credential = new Headers(init?.headers).get('authorization')
      if (credential !== null) stolen.push(credential)
      return fetch(input, init)
    }
    const methods = [evmClient.charge({ account, currencies: [assets.base.USDC] })]
    await MppxClient.create({ fetch: inner, methods, polyfill: false }).fetch(url)
    expect(stolen.length).toBeGreaterThan(0)
  })

  test('behavior: only the honest offer is shown and paid where the other one cannot be judged', async () => {
    const unread = () => [
      charge({ amount: '900000', recipient: THIEF, methodDetails: { chainId: 4217 } }, { method: 'tempo' }),
      'Basic realm="a"',
      'L402 macaroon="AGI=", invoice="lnbc1"',
      charge({ amount: '90', currency: 'usd' }, { method: 'stripe' }),
    ]
    askBy(unread)
    const kit = setUp({ policy: { maxPerPaymentUsd: '0.05' } })
    const shown = await kit.fetchBelow(url)
    expect(shown.status).toBe(402)
    expect(shown.headers.get('www-authenticate')).toBe('Basic realm="a"')
    expect(shown.headers.get('payment-required')).toEqual(expect.any(String))
    const other = setUp({ policy: { maxPerPaymentUsd: '0.05' } })
    askBy(() => unread().filter((text) => !text.startsWith('Basic')))
    const methods = [
      evmClient.charge({ account: other.account, currencies: [assets.base.USDC] }),
      tempo.charge({ account: other.account }),
    ]
    const pay = MppxClient.create({ fetch: other.fetchBelow, methods, polyfill: false }).fetch
    expect(await other.outcome(pay(url))).toBe(200)
    expect(seller.payments).toHaveLength(1)
    expect(credentials()).toEqual([])
    expect(spent(other)).toBe(1000n)
  })

  test('behavior: whatever the header is, the stock reader finds no challenge but the approved one in the 402', () => {
    const words = [
      'Payment',
      'payment ',
      'L402 ',
      'Basic ',
      'x',
      '=',
      '"',
      '\\',
      ', ',
      ' ',
      '\t',
      theft(),
      charge(),
    ]
    const quoted = `realm="${charge().replaceAll('"', '\\"')}"`
    const offer = { scheme: 'exact', network: 'eip155:8453', asset: USDC, amount: '1000', payTo: HONEST }
    const accepts = [{ ...offer, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }]
    const required = encodeBase64Json({ x402Version: 2, resource: { url }, accepts })
    const read = (response: Response) => {
      try {
        return [...(Transport.http().getChallenges(response) as Challenge.Challenge[])]
      } catch {
        return []
      }
    }
    let found = 0
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words, quoted, theft(), theft(), ', ', ', ')), (parts) => {
        const headers = { 'www-authenticate': parts.join('').trim(), 'payment-required': required }
        const response = new Response(null, { status: 402, headers })
        found += read(response).length
        const challenge = addOffers(
          decodeChallenge({ header: required, body: null, authenticate: headers['www-authenticate'] }),
          null,
          Date.now(),
        )
        for (const approved of challenge.offers) {
          const shown = read(rewriteChallenge(response, challenge, approved))
          const ids = shown.map(({ id }) => id)
          expect(ids).toEqual(ids.length === 0 ? [] : [approved.other?.raw.params.id ?? 'x402:0'])
          for (const one of shown) expect(one.request).toMatchObject({ amount: approved.amountAtomic })
        }
      }),
    )
    // The generated headers hold challenges that the stock reader takes.
    expect(found).toBeGreaterThan(0)
  })

  test('behavior: protocols that the guard does not pay by are refused by name', async () => {
    const asked = {
      'L402 macaroon="AGI=", invoice="lnbc1"': 'Lightning',
      'LSAT macaroon="AGI=", invoice="lnbc1"': 'Lightning',
      [charge({}, { method: 'lightning' })]: 'lightning',
      [charge({}, { method: 'stripe' })]: 'stripe',
      [charge({}, { method: 'solana' })]: 'solana',
      [charge({}, { method: 'tempo' })]: 'createMpp()',
      [charge()]: 'createMpp()',
      [charge({}, { method: 'unheard' })]: 'evm and tempo',
      [charge({ methodDetails: { chainId: 8453, splits: [{ amount: '1', recipient: THIEF }] } })]: 'splits',
      [charge({ methodDetails: { chainId: 8453, credentialTypes: ['permit2'] } })]: 'Permit2',
      [charge({}, { header: 'X-Payment' })]: 'plain authorizations',
    }
    for (const [authenticate, word] of Object.entries(asked)) {
      askBy(() => authenticate, noX402)
      const kit = word === 'createMpp()' ? setUp({}, null) : setUp()
      const error = await kit
        .mppx()(url)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'PROTOCOL_NOT_SUPPORTED', details: expect.stringContaining(word) })
      expect(kit.counter.signatures).toBe(0)
    }
    askBy(() => charge({}, { expires: new Date(Date.now() - 1000).toISOString() }), noX402)
    await expect(setUp().mppx()(url)).rejects.toMatchObject({ code: 'CHALLENGE_EXPIRED' })
  })

  test('behavior: an x402 library is never shown a cheaper offer that it cannot read', async () => {
    askBy(() => charge({ amount: '900' }))
    const kit = setUp()
    const pay = STOCK_CLIENTS['@x402/fetch'](kit.fetchBelow, kit.account)
    expect(await kit.outcome(pay(url))).toBe(200)
    expect(seller.payments).toHaveLength(1)
    expect(spent(kit)).toBe(1000n)
  })

  test('behavior: an x402 library is not shown a proof that costs nothing but its own offer', async () => {
    const tempo = { currency: `0x20c0${'0'.repeat(35)}1`, methodDetails: { chainId: 4217 } }
    askBy(() => charge({ amount: '0', ...tempo }, { method: 'tempo' }))
    const kit = setUp()
    const pay = STOCK_CLIENTS['@x402/fetch'](kit.fetchBelow, kit.account)
    expect(await kit.outcome(pay(url))).toBe(200)
    expect(seller.payments).toHaveLength(1)
  })
})

describe('outgoing credentials', () => {
  const send = (headers: Record<string, string>, options: GuardOptions = {}, init: RequestInit = {}) => {
    const kit = setUp(options)
    return { ...kit, result: kit.outcome(kit.fetchBelow(url, { headers, ...init })) }
  }

  test('error: a credential that cannot be decoded is refused before it is sent', async () => {
    for (const headers of [
      { authorization: 'Payment !' },
      { authorization: 'payment eyJ9' },
      { authorization: `Basic YTpi, Payment ${encodeBase64Json({ challenge: {}, payload: {} })}` },
      { 'x-anything': `Payment ${encodeBase64Json({ challenge: { method: 'stripe' }, payload: {} })}` },
      { authorization: 'Payment a', 'payment-signature': 'b' },
    ] as Record<string, string>[])
      expect(await send(headers).result).toBe('CREDENTIAL_NOT_READ')
    const inBody = (name: string) => JSON.stringify({ params: { _meta: { [name]: {} } } })
    const mpp = inBody('org.paymentauth/credential')
    const bytes = new TextEncoder().encode(mpp)
    for (const body of [mpp, inBody('x402/payment'), `[{},${mpp}]`, bytes, new Blob([bytes]), bytes.buffer]) {
      // Without an explicit type, a Request with a text body is text/plain, and one with bytes has no type.
      for (const headers of [{ 'content-type': 'application/json' }, {}]) {
        const init = { method: 'POST', body, headers }
        expect(await send({}, {}, init).result).toBe('CREDENTIAL_NOT_READ')
        const sending = setUp().fetchBelow(new Request(url, init))
        await expect(sending).rejects.toMatchObject({ code: 'CREDENTIAL_NOT_READ' })
      }
    }
    const json = { type: 'application/json' }
    const typed = { method: 'POST', body: new Blob([bytes], json) }
    expect(await send({}, {}, typed).result).toBe('CREDENTIAL_NOT_READ')
    expect(sent).toEqual([])
    const without = setUp({}, null)
    const whole = `Payment ${encodeBase64Json({ challenge: { method: 'evm' }, payload: {} })}`
    const refused = without.fetchBelow(url, { headers: { authorization: whole } })
    await expect(refused).rejects.toMatchObject({ code: 'CREDENTIAL_NOT_READ' })
  })

  test('error: a whole credential that no approval covers is refused before it is sent', async () => {
    askBy(() => charge(), noX402)
    const { account } = createCountingAccount()
    const unsent: string[] = []
    const inner: typeof fetch = async (input, init) => {
      const credential = new Headers(init?.headers).get('authorization')
      if (credential === null) return fetch(input, init)
      unsent.push(credential)
      return new Response()
    }
    const methods = [evmClient.charge({ account, currencies: [assets.base.USDC] })]
    await MppxClient.create({ fetch: inner, methods, polyfill: false }).fetch(url)
    expect(await send({ authorization: String(unsent[0]) }).result).toBe('NO_INTENT')
    expect(sent).toEqual([])
  })

  test('behavior: an L402 token of the caller passes with an event, or is refused by the policy', async () => {
    seller.character = { before: (_, response) => Boolean(response.end('free')) }
    for (const scheme of ['L402', 'LSAT']) {
      const headers = { authorization: `${scheme} AGIAJEem:1234` }
      const { result, events } = send(headers)
      expect(await result).toBe(200)
      expect(events).toMatchObject([{ type: 'foreign_credential', endpoint: url, method: 'GET' }])
      const refused = send(headers, { policy: { foreignCredentials: 'refuse' } })
      expect(await refused.result).toBe('CREDENTIAL_NOT_READ')
    }
    expect(sent).toHaveLength(2)
  })

  test('error: a payment in a body is found in every form that a server reads', async () => {
    const body = (name: string) => JSON.stringify({ params: { _meta: { [name]: {} } } })
    const x402 = body('x402/payment')
    for (const text of [
      body('org.x402/payment'),
      x402.replace('/', String.raw`\/`),
      x402.replace('x402', String.raw`\u007840\u0032`),
      `\uFEFF${x402}`,
      x402.replace('{', `{"deep":${'['.repeat(9000)}${']'.repeat(9000)},`),
    ])
      expect(await send({}, {}, { method: 'POST', body: text }).result).toBe('CREDENTIAL_NOT_READ')
    expect(sent).toEqual([])
  })

  test('behavior: an upload without an end is sent, and an abort ends it at once', async () => {
    seller.character = { before: (_, response) => Boolean(response.end('free')) }
    const headers = { 'content-type': 'application/json' }
    const upload = (signal?: AbortSignal) => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })
      const init = { method: 'POST', body, headers, duplex: 'half', ...(signal && { signal }) }
      return new Request(url, init as RequestInit)
    }
    const kit = setUp({}, null)
    expect((await kit.fetchBelow(upload())).status).toBe(200)
    const aborted = kit.fetchBelow(upload(AbortSignal.timeout(50)))
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(sent).toHaveLength(2)
  })

  test('behavior: a header that merely speaks of payments passes', async () => {
    seller.character = { before: (_, response) => Boolean(response.end('free')) }
    const headers = { 'x-title': 'Payment reminder', authorization: 'Bearer payment' }
    const body = '{"q":"what is org.paymentauth/credential?"}'
    const kit = send(headers, {}, { method: 'POST', body })
    expect(await kit.result).toBe(200)
    const json = { 'content-type': 'application/json' }
    const response = await kit.fetchBelow(new Request(url, { method: 'POST', body, headers: json }))
    expect(response.status).toBe(200)
    expect(kit.events).toEqual([])
  })

  test('behavior: an MPP receipt that the guard has not seen paid is reported', async () => {
    const receipt = encodeBase64Json({ status: 'success', method: 'evm', reference: `0x${'ab'.repeat(32)}` })
    seller.character = {
      before: (_, response) => Boolean(response.setHeader('Payment-Receipt', receipt).end('paid')),
    }
    const kit = send({})
    expect(await kit.result).toBe(200)
    expect(kit.events).toMatchObject([{ type: 'unseen', endpoint: url }])
  })
})

describe('MPP charges by the method evm', () => {
  let shop: TestServer
  // The stock server offers x402 beside MPP.
  let offersX402: boolean
  let settled: { from: string; to: string; value: string; nonce: string }[]
  const server = () =>
    Mppx.create({
      methods: [
        evm.charge({
          currency: assets.base.USDC,
          recipient: HONEST,
          async settle({ payload }) {
            settled.push(payload)
            return { reference: `0x${'cd'.repeat(32)}` as const }
          },
        }),
      ],
      secretKey: 'a secret of the seller, with 32 bytes',
    })

  beforeEach(async () => {
    settled = []
    offersX402 = false
    const handle = server().evm.charge({ amount: '0.001' })
    shop = await listen(async (request, response) => {
      const result = await handle(
        new Request(`${shop.url}${request.url}`, { headers: request.headers as never }),
      )
      const answer = result.status === 402 ? result.challenge : result.withReceipt(Response.json({ ok: 1 }))
      if (!offersX402) answer.headers.delete('payment-required')
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    know(`${shop.url}/weather`)
  })
  afterEach(() => shop.stop())

  test('default: stock client and server settle a charge under the guard', async () => {
    const kit = setUp()
    const response = await kit.mppx(kit.guard.account(kit.account) as never)(`${shop.url}/weather`)
    expect(await response.json()).toEqual({ ok: 1 })
    expect(settled).toMatchObject([{ to: HONEST, value: '1000', from: kit.account.address }])
    expect(spent(kit)).toBe(1000n)
    expect(paymentOf(response)?.intent).toMatchObject({ amountUsd: '0.001', payTo: HONEST, scheme: 'exact' })
    expect(kit.events.map(({ type }) => type)).toEqual(['allowed', 'settled'])
    expect(kit.events[1]?.transaction).toBe(`0x${'cd'.repeat(32)}`)
    expect(kit.counter.signatures).toBe(1)
    expect(credentials()).toEqual([expect.stringMatching(/^Payment /)])
  })

  test('behavior: equal offers of the stock server by both protocols are no conflict, and one is paid', async () => {
    offersX402 = true
    const kit = setUp()
    expect(await kit.outcome(kit.mppx(kit.guard.account(kit.account) as never)(`${shop.url}/weather`))).toBe(
      200,
    )
    const x402 = STOCK_CLIENTS['@x402/fetch'](kit.fetchBelow, kit.account)
    expect(await kit.outcome(x402(`${shop.url}/weather?again`))).toBe(200)
    expect(settled).toHaveLength(2)
    expect(spent(kit)).toBe(2000n)
  })

  test('behavior: the ordinary limits hold, and nothing is signed above them', async () => {
    for (const [policy, code] of [
      [{ maxPerPaymentUsd: '0.0009' }, 'OVER_PAYMENT_LIMIT'],
      [{ denyReceivers: [HONEST] }, 'RECEIVER_NOT_ALLOWED'],
      [{ networks: ['eip155:84532'] }, 'NETWORK_NOT_ALLOWED'],
      [{ maxAuthorizationSeconds: 200 }, 'AUTHORIZATION_TOO_LONG'],
    ] as const) {
      const kit = setUp({ policy: policy as never })
      expect(await kit.outcome(kit.mppx()(`${shop.url}/weather`))).toBe(code)
      expect(kit.counter.signatures).toBe(0)
    }
  })

  test('behavior: a repeat of a call whose answer was lost sends the same credential', async () => {
    const kit = setUp()
    let isLost = true
    const inner: FetchLike = async (input, init) => {
      const response = await fetch(input, init)
      if (isLost && new Headers(init?.headers).has('authorization')) throw new TypeError('connection lost')
      sent.push(new Headers(init?.headers))
      return response
    }
    const methods = [evmClient.charge({ account: kit.account, currencies: [assets.base.USDC] })]
    const below = kit.guard.fetch(inner) as typeof fetch
    const pay = MppxClient.create({ fetch: below, methods, polyfill: false }).fetch
    await expect(pay(`${shop.url}/weather`)).rejects.toMatchObject({ code: 'NO_ANSWER' })
    isLost = false
    kit.guard.ledger.clear('strikes', new URL(shop.url).host)
    await pay(`${shop.url}/weather`)
    expect(kit.counter.signatures).toBe(1)
    expect(spent(kit)).toBe(1000n)
    expect(credentials()).toHaveLength(1)
  })

  test('behavior: ten equal calls at once share one payment by MPP, whose challenges all differ', async () => {
    const kit = setUp()
    const pay = kit.mppx(kit.guard.account(kit.account) as never)
    const calls = Array.from({ length: 10 }, () => pay(`${shop.url}/weather`))
    const texts = await Promise.all(calls.map(async (call) => (await call).text()))
    expect(texts).toEqual(Array(10).fill('{"ok":1}'))
    expect(settled).toHaveLength(1)
    expect(kit.counter.signatures).toBe(1)
    expect(spent(kit)).toBe(1000n)
  })

  test('error: the account signs no nonce, start, end or domain but those of the approved challenge', async () => {
    askBy(() => charge(), noX402)
    const hostile: Record<string, (data: never) => void> = {
      nonce: (data: { message: { nonce: string } }) => (data.message.nonce = `0x${'07'.repeat(32)}`),
      validAfter: (data: { message: { validAfter: bigint } }) => (data.message.validAfter = 1n),
      validBefore: (data: { message: { validBefore: bigint } }) => (data.message.validBefore -= 1n),
      to: (data: { message: { to: string } }) => (data.message.to = THIEF),
      domain: (data: { domain: { name: string } }) => (data.domain.name = 'USD'),
    }
    for (const change of Object.values(hostile)) {
      const kit = setUp()
      const guarded = kit.guard.account(kit.account)
      const signTypedData = (data: unknown) => {
        const copy = structuredClone(data)
        change(copy as never)
        return guarded.signTypedData(copy)
      }
      const signer = { ...guarded, signTypedData }
      expect(await kit.outcome(kit.mppx(signer as never)(url))).toBe('OFFER_CHANGED')
      expect(kit.counter.signatures).toBe(0)
    }
  })

  test('error: a credential for another challenge, header or source than the approved one is not sent', async () => {
    const terms = charge()
    askBy(() => terms, noX402)
    const change: Record<string, (credential: Record<string, object>) => void> = {
      id: ({ challenge }) => Object.assign(challenge ?? {}, { id: 'x2' }),
      realm: ({ challenge }) => Object.assign(challenge ?? {}, { realm: 'else' }),
      request: ({ challenge }) =>
        Object.assign(challenge ?? {}, { request: encodeBase64Json({ amount: '1' }) }),
      source: (credential) => Object.assign(credential, { source: `did:pkh:eip155:8453:${THIEF}` }),
      payload: ({ payload }) => Object.assign(payload ?? {}, { type: 'hash' }),
    }
    for (const [name, alter] of Object.entries(change)) {
      const kit = setUp()
      const below: typeof fetch = async (input, init) => {
        const headers = new Headers(init?.headers)
        const credential = headers.get('authorization')?.slice('Payment '.length)
        if (credential === undefined) return kit.fetchBelow(input, init)
        const document = JSON.parse(Buffer.from(credential, 'base64url').toString())
        alter(document)
        headers.set('authorization', `Payment ${Buffer.from(JSON.stringify(document)).toString('base64url')}`)
        return kit.fetchBelow(input, { ...init, headers })
      }
      const methods = [evmClient.charge({ account: kit.account, currencies: [assets.base.USDC] })]
      const pay = MppxClient.create({ fetch: below, methods, polyfill: false }).fetch
      const code = name === 'payload' ? 'CREDENTIAL_NOT_READ' : 'OFFER_CHANGED'
      expect([name, await kit.outcome(pay(url))]).toEqual([name, code])
    }
    expect(credentials()).toEqual([])
  })

  test('behavior: a challenge that names another header is answered in that header', async () => {
    askBy(() => charge({}, { header: 'Payment-Authorization' }), noX402)
    const kit = setUp()
    seller.character.before = (request, response) => {
      response.setHeader('WWW-Authenticate', charge({}, { header: 'Payment-Authorization' }))
      if (request.headers['payment-authorization'] === undefined) return false
      return Boolean(response.end('paid'))
    }
    expect(await kit.outcome(kit.mppx()(url, { headers: { authorization: 'Bearer mine' } }))).toBe(200)
    expect(sent.at(-1)?.get('payment-authorization')).toMatch(/^Payment /)
    expect(sent.at(-1)?.get('authorization')).toBe('Bearer mine')
    expect(spent(kit)).toBe(1000n)
  })
})
