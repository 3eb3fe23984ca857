import type { ServerResponse } from 'node:http'
import { decodeBase64Json, encodeBase64Json } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import {
  createSIWxClientExtension,
  createSIWxMessage,
  createSIWxResourceServerExtension,
  declareSIWxExtension,
  InMemorySIWxStorage,
  SIGN_IN_WITH_X,
  wrapFetchWithSIWx,
} from '@x402/extensions/sign-in-with-x'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createGuard, type GuardOptions } from '../integrations/createGuard.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { HONEST } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { NETWORK, type StockSeller, startStockSeller } from '../testing/stockSeller.ts'

// The first and second well-known keys of local test chains.
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const stranger = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')

let events: GuardEvent[]
beforeEach(() => {
  events = []
})

/** A wallet that counts what it signs, a guard, and the stock client with its extension. */
function setUp(options: GuardOptions = {}) {
  const plain = privateKeyToAccount(KEY)
  const signed: string[] = []
  const wallet = {
    ...plain,
    signMessage: (async (parameters) => {
      signed.push(String(parameters.message))
      return plain.signMessage(parameters)
    }) as typeof plain.signMessage,
    signTypedData: (async (data) => {
      signed.push('payment')
      return plain.signTypedData(data)
    }) as typeof plain.signTypedData,
  }
  const guard = createGuard({ onDecision: (event) => events.push(event), ...options })
  const account = guard.account(wallet)
  const client = registerExactEvmScheme(new x402Client(), { signer: account })
  client.registerExtension(createSIWxClientExtension({ signers: [account] }))
  const below = guard.fetch() as typeof fetch
  return { guard, account, wallet, signed, below, pay: wrapFetchWithPayment(below, client) }
}

const spent = ({ guard }: ReturnType<typeof setUp>) => guard.ledger.totals().usdMicros
const types = () => events.map(({ type }) => type)

describe('the stock server', () => {
  let seller: StockSeller
  let url: string
  const start = async (options: Parameters<typeof startStockSeller>[0] = {}) => {
    const storage = new InMemorySIWxStorage()
    seller = await startStockSeller({
      declared: declareSIWxExtension({ statement: 'Sign in for the weather', network: NETWORK }),
      createExtensions: (origin) => [createSIWxResourceServerExtension({ storage, origin })],
      ...options,
    })
    url = `${seller.url}/weather`
    return storage
  }
  afterEach(() => seller.stop())

  test('default: signs in, pays the first call, and is let in without a payment from then on', async () => {
    await start()
    const kit = setUp()
    expect((await kit.pay(url)).status).toBe(200)
    expect([seller.payments.length, spent(kit)]).toEqual([1, 10_000n])
    events.length = 0
    expect(await (await kit.pay(url)).json()).toEqual({ weather: 'sunny' })
    expect([seller.payments.length, spent(kit)]).toEqual([1, 10_000n])
    // Approved, signed in instead, and released at once.
    expect(types()).toEqual(['allowed', 'signed_in'])
    expect(events[1]).toMatchObject({ endpoint: url, method: 'GET', payment: null })
    expect(kit.guard.ledger.pending()).toEqual([])
    expect(kit.signed.filter((one) => one === 'payment')).toHaveLength(1)
  })

  test('behavior: a route that takes no money asks for the sign-in alone', async () => {
    await start({ isFree: true })
    const kit = setUp()
    expect((await kit.pay(url)).status).toBe(200)
    expect([kit.signed.length, seller.payments.length, types()]).toEqual([1, 0, ['signed_in']])
  })

  test('behavior: wrapFetchWithSIWx works with a guarded account, and with a wallet of its own', async () => {
    const storage = await start()
    const kit = setUp()
    storage.recordPayment('/weather', kit.account.address)
    for (const signer of [kit.account, kit.wallet]) {
      const fetchSigned = wrapFetchWithSIWx(kit.below, signer as typeof kit.wallet)
      expect((await fetchSigned(url, { method: 'POST', body: 'x' })).status).toBe(200)
    }
    expect([seller.payments.length, spent(kit), types()]).toEqual([
      ...[0, 0n],
      ['allowed', 'signed_in', 'allowed', 'signed_in'],
    ])
  })

  test('behavior: calls at once are each let in', async () => {
    const storage = await start()
    const kit = setUp()
    storage.recordPayment('/weather', kit.account.address)
    const answers = await Promise.all(Array.from({ length: 5 }, () => kit.pay(url)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect([seller.payments.length, spent(kit)]).toEqual([0, 0n])
  })

  test('behavior: guard.approve admits the message for clients of their own transport', async () => {
    await start()
    const { guard, account, signed } = setUp()
    const first = await fetch(url)
    const { header } = await guard.approve({ url, headers: first.headers })
    const shown = decodeBase64Json(header ?? '') as { extensions: Record<string, { info: never }> }
    const { info } = shown.extensions[SIGN_IN_WITH_X] ?? { info: undefined as never }
    const message = createSIWxMessage(
      { ...(info as object), chainId: NETWORK, type: 'eip191' } as never,
      account.address,
    )
    await account.signMessage({ message })
    expect(signed).toEqual([message])
  })

  test('error: while stopped, nothing is signed', async () => {
    await start({ isFree: true })
    const kit = setUp()
    await kit.guard.stop()
    await expect(kit.pay(url)).rejects.toThrow()
    expect(kit.signed).toEqual([])
  })
})

describe('a hostile seller', () => {
  let seller: TestServer
  let url: string
  let change: (info: Record<string, unknown>) => object
  let chains: object[]
  let seen: unknown[]
  let declared: { info: Record<string, unknown>; supportedChains: object[]; schema: object }
  let onProof: (response: ServerResponse) => void
  beforeEach(async () => {
    ;[change, chains, seen] = [() => ({}), [{ chainId: NETWORK, type: 'eip191' }], []]
    onProof = (response) => void response.end('in')
    // A peer of its own, since the stock server names its origin only. Source: the examples of the specification.
    seller = await listen((request, response) => {
      if (request.headers[SIGN_IN_WITH_X]) {
        seen.push(request.headers[SIGN_IN_WITH_X])
        return onProof(response)
      }
      if (request.url === '/old') return void response.writeHead(307, { location: '/weather' }).end()
      const info = {
        domain: new URL(seller.url).host,
        uri: url,
        version: '1',
        nonce: 'a1b2c3d4e5f67890a1b2c3d4e5f67890',
        issuedAt: new Date().toISOString(),
        resources: [url],
      }
      declared = { info: { ...info, ...change(info) }, supportedChains: chains, schema: {} }
      const terms = { scheme: 'exact', network: NETWORK, asset: USDC, payTo: HONEST, amount: '10000' }
      const document = {
        x402Version: 2,
        resource: { url },
        accepts: [{ ...terms, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }],
        extensions: { [SIGN_IN_WITH_X]: declared },
      }
      response.setHeader('PAYMENT-REQUIRED', encodeBase64Json(document))
      response.writeHead(402).end(JSON.stringify({ ...document, x402Version: 1, accepts: [] }))
    })
    url = `${seller.url}/weather`
  })
  afterEach(() => seller.stop())

  const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()
  test.each<[string, () => Record<string, unknown>]>([
    ['the domain of a bank', () => ({ domain: 'bank.example' })],
    ['its own host with another port', () => ({ domain: '127.0.0.1:1' })],
    ['a URI of another origin', () => ({ uri: 'https://bank.example/login' })],
    ['a URI that parsers read differently', () => ({ uri: `${new URL(url).origin}\\@evil.example/weather` })],
    ['a URI with a user', () => ({ uri: url.replace('//', '//evil.example@') })],
    ["another tenant's path", () => ({ uri: url.replace('/weather', '/bank') })],
    ['the whole origin', () => ({ uri: new URL(url).origin })],
    [
      "another tenant's path among its resources",
      () => ({ resources: [url, url.replace('/weather', '/bank')] }),
    ],
    ['a URI of another scheme', () => ({ uri: url.replace('http:', 'https:') })],
    ['a domain with a second line', () => ({ domain: `${new URL(url).host}\nURI: https://bank.example` })],
    ['a statement with a second message', () => ({ statement: 'Hi\n\nURI: https://bank.example' })],
    ['a line separator', () => ({ requestId: 'a\u2028b' })],
    ['a delegation among its resources', () => ({ resources: [url, 'urn:recap:eyJhdHQiOnt9fQ'] })],
    ['a resource of another origin', () => ({ resources: ['https://bank.example/'] })],
    ['a nonce that is short', () => ({ nonce: 'abc' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['a message of tomorrow', () => ({ issuedAt: minutes(2) })],
    ['a message of yesterday', () => ({ issuedAt: minutes(-6) })],
    ['a message that begins later', () => ({ notBefore: minutes(30) })],
    ['a message without an end in sight', () => ({ expirationTime: minutes(60 * 25) })],
    ['a message that has expired', () => ({ expirationTime: minutes(-1) })],
    ['no time', () => ({ issuedAt: 'soon' })],
    ['another version', () => ({ version: '2' })],
  ])('error: %s is not shown and not signed', async (_, make) => {
    change = make
    const { below, account, signed } = setUp()
    const rewritten = await below(url)
    const shown = decodeBase64Json(rewritten.headers.get('PAYMENT-REQUIRED') ?? '')
    expect([rewritten.status, shown?.extensions, await rewritten.json()]).toEqual([402, {}, {}])
    const info = { ...declared.info, chainId: NETWORK, type: 'eip191' }
    // The stock client writes no message for some.
    const write = async () => createSIWxMessage(info as never, account.address)
    const message = await write().catch(() => JSON.stringify(info))
    await expect(account.signMessage({ message })).rejects.toMatchObject({ code: 'SIGNING_REFUSED' })
    expect(signed).toEqual([])
  })

  test('error: unknown chains, and those of other kinds, are not shown', async () => {
    chains = [
      { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', type: 'ed25519' },
      { chainId: 'eip155:987654321', type: 'eip191' },
      { chainId: NETWORK, type: 'eip191' },
    ]
    const shown = decodeBase64Json((await setUp().below(url)).headers.get('PAYMENT-REQUIRED') ?? '')
    expect(shown?.extensions).toMatchObject({ [SIGN_IN_WITH_X]: { supportedChains: [chains[2]] } })
  })

  test('error: the guarded account signs no other message', async () => {
    const { below, account, signed } = setUp()
    const shown = decodeBase64Json((await below(url)).headers.get('PAYMENT-REQUIRED') ?? '') as never as {
      extensions: { [SIGN_IN_WITH_X]: { info: Record<string, unknown> } }
    }
    const { info } = shown.extensions[SIGN_IN_WITH_X]
    const write = (changed: object, address: string = account.address) =>
      createSIWxMessage({ ...info, chainId: NETWORK, type: 'eip191', ...changed } as never, address)
    const right = write({})
    for (const message of [
      write({ uri: 'https://bank.example/' }),
      write({ nonce: 'ffffffffffffffff' }),
      write({ chainId: 'eip155:1' }),
      write({}, stranger.address),
      `${right}\n`,
      { raw: right },
      undefined,
    ])
      await expect(account.signMessage({ message })).rejects.toMatchObject({ code: 'SIGNING_REFUSED' })
    expect(signed).toEqual([])
    await account.signMessage({ message: right })
    expect(signed).toEqual([right])
  })

  test('error: a proof goes only to the origin that asked, as it was asked for and signed', async () => {
    const { below, wallet } = setUp()
    const shown = decodeBase64Json((await below(url)).headers.get('PAYMENT-REQUIRED') ?? '') as never as {
      extensions: { [SIGN_IN_WITH_X]: { info: Record<string, unknown> } }
    }
    const info = { ...shown.extensions[SIGN_IN_WITH_X].info, chainId: NETWORK, type: 'eip191' }
    const proofOf = async (changed: object = {}, signer: typeof stranger = wallet) => {
      const signature = await signer.signMessage({
        message: createSIWxMessage(info as never, signer.address),
      })
      return encodeBase64Json({ ...info, address: signer.address, signature, ...changed })
    }
    const other = await listen((_, response) => void response.end('stolen'))
    const send = (proof: string, to = url) =>
      below(to, { headers: { [SIGN_IN_WITH_X]: proof } }).then(
        ({ status }) => status,
        (error) => error.code,
      )
    expect(await send(await proofOf(), `${other.url}/weather`)).toBe('CREDENTIAL_NOT_READ')
    await other.stop()
    for (const changed of [
      { nonce: 'ffffffffffffffff' },
      { uri: 'https://bank.example/' },
      { chainId: 'eip155:1' },
      { address: stranger.address },
      { signature: `0x${'11'.repeat(65)}` },
      { type: 'ed25519' },
      { secret: 'of another site' },
    ])
      expect(await send(await proofOf(changed))).toBe('CREDENTIAL_NOT_READ')
    expect(await send('e30')).toBe('CREDENTIAL_NOT_READ')
    expect(await send('not base64')).toBe('CREDENTIAL_NOT_READ')
    expect(seen).toEqual([])
    expect(await send(await proofOf())).toBe(200)
    expect(seen).toHaveLength(1)
  })

  test('error: a proof does not follow a redirect, and is not asked for behind one', async () => {
    const { below, wallet } = setUp()
    const leaked: unknown[] = []
    const other = await listen((request, response) => {
      leaked.push(request.headers[SIGN_IN_WITH_X])
      response.end()
    })
    onProof = (response) => void response.writeHead(307, { location: `${other.url}/x` }).end()
    expect((await wrapFetchWithSIWx(below, wallet)(url)).status).toBe(307)
    await other.stop()
    expect([leaked, seen.length]).toEqual([[], 1])
    const { headers, status } = await below(`${seller.url}/old`)
    expect([status, decodeBase64Json(headers.get('PAYMENT-REQUIRED') ?? '')?.extensions]).toEqual([402, {}])
  })

  test('error: a proof expires with its message', async () => {
    let now = Date.now()
    const { below, wallet } = setUp({ now: () => now })
    const fetchSigned = wrapFetchWithSIWx(
      (async (input, init) => {
        if (new Request(input, init).headers.has(SIGN_IN_WITH_X)) now += 6 * 60_000
        return below(input, init)
      }) as typeof fetch,
      wallet,
    )
    await expect(fetchSigned(url)).rejects.toMatchObject({ code: 'CREDENTIAL_NOT_READ' })
    expect(seen).toEqual([])
  })
})
