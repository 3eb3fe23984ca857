import { encodeBase64Json } from '@touchstone402/shared'
import { PERMIT2_ADDRESS, uptoPermit2WitnessTypes, x402UptoPermit2ProxyAddress } from '@x402/evm'
import { hashTypedData, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGuard, type GuardOptions } from '../integrations/createGuard.ts'
import { bytesToHex } from '../paying/signatures/bytes.ts'
import { HONEST, startSeller, type Terms, type TestSeller, THIEF } from '../testing/seller.ts'
import { startService, type TestService, termOf, USDC } from '../testing/service.ts'
import { createUpto } from './createUpto.ts'
import { hashPermit, PERMIT2, UPTO_PROXY, writePermit } from './permit.ts'

const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const FACILITATOR = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const EXTRA = { assetTransferMethod: 'permit2', facilitatorAddress: FACILITATOR }
const ALLOWED = { uptoFacilitators: [FACILITATOR] }

let service: TestService
let seller: TestSeller
beforeEach(async () => {
  service = await startService()
  seller = await startSeller({ terms: [{ scheme: 'upto', extra: EXTRA }], versions: [2] })
  service.decisions.set(`${seller.url}/x`, {
    verdict: 'safe',
    receiverStability: 'stable',
    probes: 9,
    terms: [termOf(HONEST, '10000', { scheme: 'upto' })],
  })
})
afterEach(async () => {
  await seller.stop()
  await service.stop()
})

const guarded = (options: GuardOptions = {}) =>
  createGuard({ service: { url: service.url }, policy: ALLOWED, upto: createUpto(), ...options })

/** Parts of a permit that a hostile client changes. */
type Forgery = {
  permitted?: Record<string, unknown>
  witness?: Record<string, unknown>
  fields?: Record<string, unknown>
  domain?: Record<string, unknown>
  payload?: Record<string, unknown>
  document?: Record<string, unknown>
  accepted?: Record<string, unknown>
}

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)

async function permitOf({ permitted, witness, fields, domain }: Forgery = {}) {
  const permit = {
    permitted: { token: USDC, amount: '10000', ...permitted },
    spender: UPTO_PROXY,
    nonce: '123456789',
    deadline: inSeconds(60),
    witness: { to: HONEST, facilitator: FACILITATOR, validAfter: '0', ...witness },
    ...fields,
  }
  const data = {
    domain: { name: 'Permit2', chainId: 8453, verifyingContract: PERMIT2, ...domain },
    types: uptoPermit2WitnessTypes,
    primaryType: 'PermitWitnessTransferFrom' as const,
    message: permit,
  }
  return { permit, data: data as unknown as TypedDataDefinition }
}

/** Sends a forged payment after an approval. Returns the status, or the code of the refusal. */
async function forged(forgery: Forgery): Promise<unknown> {
  const guard = guarded()
  const fetch = guard.fetch()
  expect((await fetch(`${seller.url}/x`)).status).toBe(402)
  const { permit, data } = await permitOf(forgery)
  const signature = await account.signTypedData(data)
  const header = encodeBase64Json({
    x402Version: 2,
    accepted: { scheme: 'upto', network: 'eip155:8453', asset: USDC, ...forgery.accepted },
    payload: {
      permit2Authorization: { from: account.address, ...permit },
      signature,
      ...forgery.payload,
    },
    ...forgery.document,
  })
  const code = await fetch(`${seller.url}/x`, { headers: { 'PAYMENT-SIGNATURE': header } }).then(
    ({ status }) => status,
    (error) => error.code,
  )
  expect(seller.payments).toHaveLength(code === 200 ? 1 : 0)
  return code
}

describe('upto, the signed payment', () => {
  test('default: sends the approved payment', async () => {
    expect(await forged({})).toBe(200)
  })

  test('behavior: sends a payment that repeats what the seller declares', async () => {
    expect(
      await forged({ document: { extensions: { eip2612GasSponsoring: { info: { version: '1' } } } } }),
    ).toBe(200)
  })

  test.each<[string, Forgery, string]>([
    ['another proxy', { fields: { spender: THIEF } }, 'OFFER_CHANGED'],
    ['another receiver in the witness', { witness: { to: THIEF } }, 'OFFER_CHANGED'],
    ['another facilitator in the witness', { witness: { facilitator: THIEF } }, 'OFFER_CHANGED'],
    ['a start in the future', { witness: { validAfter: inSeconds(30) } }, 'OFFER_CHANGED'],
    ['a deadline that is too late', { fields: { deadline: inSeconds(3600) } }, 'OFFER_CHANGED'],
    ['no deadline', { fields: { deadline: String(2n ** 256n - 1n) } }, 'OFFER_CHANGED'],
    ['a deadline that is over', { fields: { deadline: inSeconds(-1) } }, 'OFFER_CHANGED'],
    ['a higher ceiling', { permitted: { amount: '10001' } }, 'OFFER_CHANGED'],
    ['a lower ceiling', { permitted: { amount: '9999' } }, 'OFFER_CHANGED'],
    ['another token', { permitted: { token: THIEF } }, 'OFFER_CHANGED'],
    ['another accepted asset', { accepted: { asset: THIEF } }, 'OFFER_CHANGED'],
    ['another chain', { accepted: { network: 'eip155:1' } }, 'OFFER_CHANGED'],
    ['the exact scheme', { accepted: { scheme: 'exact' } }, 'PAYMENT_MALFORMED'],
    ['the domain of another chain', { domain: { chainId: 1 } }, 'SIGNATURE_INVALID'],
    ['the domain of another contract', { domain: { verifyingContract: THIEF } }, 'SIGNATURE_INVALID'],
    ['a version in the domain', { domain: { version: '1' } }, 'SIGNATURE_INVALID'],
    [
      'an EIP-3009 authorization beside',
      { payload: { authorization: { from: account.address } } },
      'PAYMENT_MALFORMED',
    ],
    [
      'a permit of the token beside',
      { document: { extensions: { eip2612GasSponsoring: { info: { signature: '0xab' } } } } },
      'PAYMENT_MALFORMED',
    ],
    [
      'an approval of the token beside',
      { document: { extensions: { erc20ApprovalGasSponsoring: { info: { signedTransaction: '0xab' } } } } },
      'PAYMENT_MALFORMED',
    ],
    ['protocol version 1', { document: { x402Version: 1 } }, 'PAYMENT_MALFORMED'],
    ['no witness', { payload: { permit2Authorization: {} } }, 'PAYMENT_MALFORMED'],
    ['a foreign signature', { payload: { signature: `0x${'11'.repeat(65)}` } }, 'SIGNATURE_INVALID'],
  ])('error: refuses a payment with %s', async (_, forgery, code) => {
    expect(await forged(forgery)).toBe(code)
  })

  test('error: refuses a nonce beyond 256 bits, which would be hashed as another', async () => {
    const { permit } = await permitOf({ fields: { nonce: String(2n ** 256n + 5n) } })
    const payload = { permit2Authorization: { from: account.address, ...permit } }
    expect(await forged({ payload })).toBe('PAYMENT_MALFORMED')
  })

  test('error: sends a payment once', async () => {
    const fetch = guarded().fetch()
    await fetch(`${seller.url}/x`)
    const { permit, data } = await permitOf()
    const header = encodeBase64Json({
      x402Version: 2,
      accepted: { scheme: 'upto', network: 'eip155:8453', asset: USDC },
      payload: {
        permit2Authorization: { from: account.address, ...permit },
        signature: await account.signTypedData(data),
      },
    })
    const headers = { 'PAYMENT-SIGNATURE': header }
    expect(await (await fetch(`${seller.url}/x`, { headers })).text()).toContain('weather')
    await fetch(`${seller.url}/x`)
    await expect(fetch(`${seller.url}/x`, { headers })).rejects.toMatchObject({ code: 'NO_INTENT' })
    expect(seller.payments).toHaveLength(1)
  })
})

describe('upto, the offer', () => {
  const refused = async (terms: Terms, options: GuardOptions = {}) => {
    seller.character = { terms: [{ scheme: 'upto', extra: EXTRA, ...terms }], versions: [2] }
    const guard = guarded(options)
    const error = await guard
      .fetch()(`${seller.url}/x`)
      .catch((error: unknown) => error)
    expect(guard.ledger.totals().usdMicros).toBe(0n)
    return error
  }

  test('default: is not paid', async () => {
    const error = await refused({}, { policy: {}, upto: createUpto() })
    expect(error).toMatchObject({ code: 'SCHEME_NOT_ALLOWED' })
  })

  test.each<[string, Terms, string]>([
    [
      'a facilitator that is not listed',
      { extra: { ...EXTRA, facilitatorAddress: THIEF } },
      'SCHEME_NOT_ALLOWED',
    ],
    ['no facilitator', { extra: { assetTransferMethod: 'permit2' } }, 'SCHEME_NOT_ALLOWED'],
    [
      'a facilitator that is no text',
      { extra: { ...EXTRA, facilitatorAddress: [FACILITATOR] } },
      'SCHEME_NOT_ALLOWED',
    ],
    [
      'another transfer method',
      { extra: { ...EXTRA, assetTransferMethod: 'eip2612' } },
      'SCHEME_NOT_ALLOWED',
    ],
    ['payment in advance', { extra: { ...EXTRA, paymentFlow: 'upfront' } }, 'SCHEME_NOT_ALLOWED'],
    ['a deadline that is too late', { maxTimeoutSeconds: 601 }, 'AUTHORIZATION_TOO_LONG'],
    ['another asset', { asset: THIEF }, 'ASSET_NOT_ALLOWED'],
    ['another network', { network: 'eip155:84532' }, 'NETWORK_NOT_ALLOWED'],
    ['a ceiling of zero', { amount: '0' }, 'AMOUNT_INVALID'],
    ['a ceiling above the checked one', { amount: '10001' }, 'PRICE_ABOVE_CHECKED'],
    ['another receiver', { payTo: THIEF }, 'RECEIVER_NOT_CHECKED'],
  ])('error: refuses %s', async (_, terms, code) => {
    expect(await refused(terms)).toMatchObject({ code })
  })

  test('error: refuses a ceiling above a cap', async () => {
    const policy = { ...ALLOWED, maxPerPaymentUsd: '0.009' }
    expect(await refused({}, { policy })).toMatchObject({ code: 'OVER_PAYMENT_LIMIT' })
  })

  test('error: refuses terms that were checked for the exact scheme', async () => {
    service.decisions.set(`${seller.url}/x`, {
      verdict: 'safe',
      receiverStability: 'stable',
      probes: 9,
      terms: [termOf(HONEST, '10000')],
    })
    expect(await refused({})).toMatchObject({ code: 'TERMS_NOT_CHECKED' })
  })

  test('behavior: shows the ceiling and the facilitator to the one who is asked', async () => {
    const events: unknown[] = []
    const guard = guarded({ onDecision: ({ payment }) => events.push(payment) })
    await guard.fetch()(`${seller.url}/x`)
    expect(events).toMatchObject([{ scheme: 'upto', facilitator: FACILITATOR, amountUsd: '0.01' }])
  })

  test('error: names the option if the policy allows upto without it', () => {
    expect(() => createGuard({ service: { url: service.url }, policy: ALLOWED })).toThrow(
      'upto: policy.uptoFacilitators needs createUpto() of @touchstone402/guard/upto',
    )
  })
})

describe('upto, the guarded account', () => {
  async function sign(change: Record<string, unknown> = {}, forgery: Forgery = {}, options?: GuardOptions) {
    const guard = guarded(options)
    if (options === undefined) await guard.fetch()(`${seller.url}/x`)
    const { data } = await permitOf(forgery)
    return guard
      .account(account)
      .signTypedData({ ...data, ...change })
      .catch((error) => error.code)
  }

  test('default: signs the approved permit, as viem does', async () => {
    // The same second in both.
    const fixed = { fields: { deadline: inSeconds(59) } }
    const { data } = await permitOf(fixed)
    expect(await sign({}, fixed)).toBe(await account.signTypedData(data))
  })

  const { PermitWitnessTransferFrom, TokenPermissions } = uptoPermit2WitnessTypes
  test.each<[string, Record<string, unknown>, Forgery, string]>([
    ['a permit of the token', { primaryType: 'Permit' }, {}, 'SIGNING_REFUSED'],
    ['a permit without witness', { primaryType: 'PermitTransferFrom' }, {}, 'SIGNING_REFUSED'],
    ['an allowance of Permit2', { primaryType: 'PermitSingle' }, {}, 'SIGNING_REFUSED'],
    ['another witness', { types: { PermitWitnessTransferFrom, TokenPermissions } }, {}, 'SIGNING_REFUSED'],
    ['a further struct', { types: { ...uptoPermit2WitnessTypes, Permit: [] } }, {}, 'SIGNING_REFUSED'],
    ['another proxy', {}, { fields: { spender: THIEF } }, 'OFFER_CHANGED'],
    ['another receiver', {}, { witness: { to: THIEF } }, 'OFFER_CHANGED'],
    ['another facilitator', {}, { witness: { facilitator: THIEF } }, 'OFFER_CHANGED'],
    ['a late deadline', {}, { fields: { deadline: inSeconds(3600) } }, 'OFFER_CHANGED'],
    ['a higher ceiling', {}, { permitted: { amount: '10001' } }, 'OFFER_CHANGED'],
    ['another chain', {}, { domain: { chainId: 1 } }, 'OFFER_CHANGED'],
    ['another contract', {}, { domain: { verifyingContract: THIEF } }, 'OFFER_CHANGED'],
    ['a salt', {}, { domain: { salt: `0x${'00'.repeat(32)}` } }, 'OFFER_CHANGED'],
  ])('error: does not sign %s', async (_, change, forgery, code) => {
    expect(await sign(change, forgery)).toBe(code)
  })

  test('error: signs no permit where upto is off', async () => {
    expect(await sign({}, {}, { policy: {} })).toBe('NO_INTENT')
    const off = createGuard({ service: { url: service.url } }).account(account)
    const { data } = await permitOf()
    await expect(off.signTypedData(data)).rejects.toMatchObject({ code: 'SIGNING_REFUSED' })
  })
})

describe('upto, the constants', () => {
  test('behavior: equal those of the x402 library', () => {
    expect([PERMIT2, UPTO_PROXY]).toEqual([PERMIT2_ADDRESS, x402UptoPermit2ProxyAddress])
  })

  test('behavior: hashes and writes permits as viem does', () => {
    const authorization = {
      from: account.address,
      to: HONEST,
      value: 2n ** 256n - 1n,
      validAfter: 1n,
      validBefore: 2n ** 48n,
      nonce: `0x${'fe'.repeat(32)}`,
      permit: { token: USDC, spender: UPTO_PROXY, facilitator: FACILITATOR },
    }
    const written = writePermit(137, authorization) as unknown as TypedDataDefinition
    expect(written.types).toEqual(uptoPermit2WitnessTypes)
    expect(bytesToHex(hashPermit(137, authorization))).toBe(hashTypedData(written))
  })
})
