import { TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client, x402HTTPClient } from '@x402/fetch'
import { createWalletClient, http, type LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { wrapFetchWithPayment as wrapV1 } from 'x402-fetch'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
import { startService, type TestService, termOf, USDC } from '../testing/service.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'

let service: TestService
let seller: TestSeller
let url: string

beforeAll(async () => {
  service = await startService()
  seller = await startSeller()
  url = `${seller.url}/weather`
  service.decisions.set(url, {
    verdict: 'safe',
    receiverStability: 'stable',
    probes: 9,
    terms: [termOf(HONEST, '10000')],
  })
})
afterAll(async () => {
  await service.stop()
  await seller.stop()
})
beforeEach(() => {
  seller.payments.length = 0
  seller.character = {}
})

function setUp(options: GuardOptions = {}) {
  const { account, counter } = createCountingAccount()
  const guard = createGuard({ service: { url: service.url }, ...options })
  return { guard, counter, account: guard.account(account), address: account.address }
}

/** The signing request of an honest library for the seller's terms. */
function transfer(
  from: string,
  change: { message?: object; domain?: object; types?: object; primaryType?: string } = {},
) {
  const seconds = Math.floor(Date.now() / 1000)
  return {
    primaryType: change.primaryType ?? 'TransferWithAuthorization',
    types: change.types ?? {
      ...TRANSFER_WITH_AUTHORIZATION,
    },
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC, ...change.domain },
    message: {
      from,
      to: HONEST,
      value: 10_000n,
      validAfter: 0n,
      validBefore: BigInt(seconds + 60),
      nonce: `0x${'07'.repeat(32)}`,
      ...change.message,
    },
  }
}

/** A client with its own transport that submits its 402 to the guard, like an axios interceptor. */
async function payByHand({ guard, account }: ReturnType<typeof setUp>, version: 1 | 2) {
  const client = new x402HTTPClient(registerExactEvmScheme(new x402Client(), { signer: account }))
  const first = await fetch(url)
  const { header, body } = await guard.approve({ url, headers: first.headers, body: await first.json() })
  const required = client.getPaymentRequiredResponse(
    (name) => (version === 2 && name === 'PAYMENT-REQUIRED' ? header : null),
    body,
  )
  const payload = await client.createPaymentPayload(required)
  return fetch(url, { headers: client.encodePaymentSignatureHeader(payload) })
}

describe('guard.account', () => {
  test.each([1, 2] as const)(
    'default: signs an approved v%i payment for a client with its own transport',
    async (version) => {
      const all = setUp()
      expect((await payByHand(all, version)).status).toBe(200)
      expect(all.counter.signatures).toBe(1)
      expect(seller.payments).toHaveLength(1)
      expect(all.guard.ledger.totals().usdMicros).toBe(10_000n)
    },
  )

  test('behavior: signs once together with the guarded fetch, under both libraries', async () => {
    for (const name of ['@x402/fetch', 'x402-fetch'] as const) {
      const { guard, account, counter } = setUp()
      const pay =
        name === '@x402/fetch'
          ? STOCK_CLIENTS[name](guard.fetch(), account as never)
          : wrapV1(
              guard.fetch() as typeof fetch,
              createWalletClient({
                account: account as LocalAccount,
                chain: base,
                transport: http('http://127.0.0.1:9'),
              }) as never,
              10n ** 12n,
            )
      expect((await pay(url)).status).toBe(200)
      expect(counter.signatures).toBe(1)
    }
    expect(seller.payments).toHaveLength(2)
  })

  test('behavior: pays concurrent calls on equal terms, each signed once', async () => {
    const { guard, account, counter } = setUp({ policy: { maxPerHostPerDayUsd: '5' } })
    const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), account as never)
    const calls = Array.from({ length: 24 }, (_, index) => pay(`${url}?city=${index}`))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect([counter.signatures, new Set(seller.payments).size]).toEqual([24, 24])
  })

  test('behavior: is a valid viem local account', () => {
    const { account }: { account: LocalAccount } = setUp()
    expect(account.type).toBe('local')
  })

  test('error: refuses every other signing method', async () => {
    const { account, counter, guard } = setUp()
    const events: unknown[] = []
    await guard.fetch()(url)
    const calls = [account.sign, account.signMessage, account.signTransaction, account.signAuthorization]
    for (const call of calls) {
      await expect(call({ hash: '0x', message: 'x' })).rejects.toMatchObject({ code: 'SIGNING_REFUSED' })
    }
    expect(counter.signatures).toBe(0)
    expect(events).toEqual([])
  })

  test('error: exposes no key or method of the account', () => {
    const inner = privateKeyToAccount(`0x${'22'.repeat(32)}`)
    const secret = { ...inner, getHdKey: () => 'secret', privateKey: 'secret' }
    const { guard } = setUp()
    const account = guard.account(secret)
    expect(Object.keys(account).toSorted()).toEqual([
      'address',
      'publicKey',
      'sign',
      'signAuthorization',
      'signMessage',
      'signTransaction',
      'signTypedData',
      'source',
      'type',
    ])
    expect(JSON.stringify(account)).not.toContain('secret')
  })

  test('error: signs nothing without an approval', async () => {
    const { account, counter, address } = setUp()
    await expect(account.signTypedData(transfer(address))).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect(counter.signatures).toBe(0)
  })

  test.each<[string, Parameters<typeof transfer>[1], string]>([
    ['another receiver', { message: { to: THIEF } }, 'OFFER_CHANGED'],
    ['a larger amount', { message: { value: 10_001n } }, 'OFFER_CHANGED'],
    ['an unlimited lifetime', { message: { validBefore: 2n ** 256n - 1n } }, 'OFFER_CHANGED'],
    ['another contract', { domain: { verifyingContract: THIEF } }, 'OFFER_CHANGED'],
    ['another chain', { domain: { chainId: 1 } }, 'OFFER_CHANGED'],
    ['another name', { domain: { name: 'Permit2' } }, 'OFFER_CHANGED'],
    ['a salt', { domain: { salt: `0x${'00'.repeat(32)}` } }, 'OFFER_CHANGED'],
    ['a permit', { primaryType: 'Permit' }, 'SIGNING_REFUSED'],
    [
      'a permit named as a transfer',
      { types: { TransferWithAuthorization: [{ name: 'spender', type: 'address' }] } },
      'SIGNING_REFUSED',
    ],
    ['a negative amount', { message: { value: -1n } }, 'SIGNING_REFUSED'],
    ['an amount of NaN', { message: { value: Number.NaN } }, 'SIGNING_REFUSED'],
    ['another sender', { message: { from: THIEF } }, 'SIGNING_REFUSED'],
    ['a message without a receiver', { message: { to: undefined } }, 'SIGNING_REFUSED'],
  ])('error: refuses to sign %s', async (_, change, code) => {
    const { guard, account, counter, address } = setUp()
    await guard.fetch()(url)
    await expect(account.signTypedData(transfer(address, change))).rejects.toMatchObject({ code })
    expect(counter.signatures).toBe(0)
    await account.signTypedData(transfer(address))
    expect(counter.signatures).toBe(1)
  })

  test('error: permits one signature per approval', async () => {
    const { guard, account, counter, address } = setUp()
    await guard.fetch()(url)
    await account.signTypedData(transfer(address))
    await expect(account.signTypedData(transfer(address))).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect(counter.signatures).toBe(1)
  })

  test('error: signs the checked values if the message changes during the check', async () => {
    const { guard, account } = setUp()
    const signed: unknown[] = []
    const inner = {
      address: account.address,
      async signTypedData(data: unknown) {
        signed.push(data)
        return '0x' as const
      },
    }
    const guarded = guard.account(inner)
    await guard.fetch()(url)
    const request = transfer(account.address)
    let reads = 0
    Object.defineProperty(request.message, 'to', { get: () => (reads++ === 0 ? HONEST : THIEF) })
    await guarded.signTypedData(request)
    expect(signed).toMatchObject([{ message: { to: HONEST } }])
  })

  test('behavior: counts a signature that never reached the guarded fetch as spent', async () => {
    let clock = Date.now()
    const { guard, account, address } = setUp({ now: () => clock })
    await guard.fetch()(url)
    await account.signTypedData(transfer(address))
    clock += 130_000
    await guard.fetch()(`${url}?2`)
    expect(guard.ledger.totals().usdMicros).toBe(20_000n)
  })
})
