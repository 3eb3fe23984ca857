import {
  canonicalizeUrl,
  decodeChallenge,
  encodeBase64Json,
  findNetwork,
  UNPAYABLE,
} from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { explainScreened } from './explainScreened.ts'
import { type PolicyInput, parsePolicy } from './policySchema.ts'
import { type Screened, screen, screenAddress } from './screen.ts'

const URL = 'https://api.example.com/weather'
const SOLANA = {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
}

/** Screens one offer in USDC on Base, with changes. */
const screenOne = (change: Record<string, unknown>, policy: PolicyInput = {}) =>
  screen(parsePolicy(policy), canonicalizeUrl(URL), challengeOf(change))

/** Explains the refusal of the same offer. */
const explainOne = (change: Record<string, unknown>, policy: PolicyInput = {}) =>
  explainScreened(screenOne(change, policy) as Screened, parsePolicy(policy), challengeOf(change))

function challengeOf(change: Record<string, unknown>) {
  const offer = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '10000',
    maxTimeoutSeconds: 60,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    ...change,
  }
  const header = encodeBase64Json({ x402Version: 2, resource: { url: '/weather' }, accepts: [offer] })
  return decodeChallenge({ header, body: null })
}

describe('an offer to pay upfront', () => {
  const UPFRONT = { extra: { paymentFlow: 'upfront' } }
  const allowed = { allowUpfrontUpToUsd: '0.01' }

  test('behavior: passes up to the amount of the policy', () => {
    expect(screenOne(UPFRONT, allowed)).toMatchObject({ candidates: [{ amount: 10000n }] })
    const refusal = screenOne({ ...UPFRONT, amount: '10001' }, allowed)
    expect(refusal).toMatchObject({ code: 'SCHEME_NOT_ALLOWED' })
    expect(explainOne({ ...UPFRONT, amount: '10001' }, allowed)).toEqual({
      details: 'It is to be paid before delivery, for at most $0.01.',
      allowedBy: '"allowUpfrontUpToUsd": "0.010001"',
    })
    expect(screenOne(UPFRONT, { allowUpfrontUpToUsd: '0' })).toMatchObject({ code: 'SCHEME_NOT_ALLOWED' })
  })

  test('error: allows no other flow, scheme or asset with it', () => {
    expect(screenOne({ extra: { paymentFlow: 'escrow' } }, allowed)).toMatchObject({
      details: UNPAYABLE.flow,
    })
    expect(screenOne({ ...UPFRONT, scheme: 'upto' }, allowed)).toMatchObject({ details: UNPAYABLE.scheme })
    const permit2 = { extra: { ...UPFRONT.extra, assetTransferMethod: 'permit2' } }
    expect(screenOne(permit2, allowed)).toMatchObject({ details: UNPAYABLE.method })
    const token = { ...UPFRONT, asset: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed' }
    expect(screenOne(token, allowed)).toMatchObject({ code: 'ASSET_NOT_ALLOWED' })
  })

  test('behavior: an offer that settles after delivery is preferred, though it costs more', () => {
    const terms = { scheme: 'exact', network: 'eip155:8453', maxTimeoutSeconds: 60 }
    const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
    const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
    const accepts = [
      { ...terms, asset, payTo, amount: '9000', ...UPFRONT },
      { ...terms, asset, payTo, amount: '10000' },
    ]
    const header = encodeBase64Json({ x402Version: 2, resource: { url: '/weather' }, accepts })
    const challenge = decodeChallenge({ header, body: null })
    const result = screen(parsePolicy(allowed), canonicalizeUrl(URL), challenge)
    expect(result).toMatchObject({ candidates: [{ amount: 10000n }] })
    expect('candidates' in result && result.candidates).toHaveLength(1)
  })
})

describe('screen', () => {
  test('default: a candidate for what the guard can pay', () => {
    expect(screenOne({})).toMatchObject({ candidates: [{ amount: 10000n }] })
  })

  test.each([
    ['an offer on Solana', SOLANA, 'NETWORK_NOT_ALLOWED', UNPAYABLE.network],
    ['upto', { scheme: 'upto' }, 'SCHEME_NOT_ALLOWED', UNPAYABLE.scheme],
    ['Circle Gateway', { extra: { name: 'GatewayWalletBatched' } }, 'SCHEME_NOT_ALLOWED', UNPAYABLE.gateway],
    ['Permit2', { extra: { assetTransferMethod: 'permit2' } }, 'SCHEME_NOT_ALLOWED', UNPAYABLE.method],
    ['upfront', { extra: { paymentFlow: 'upfront' } }, 'SCHEME_NOT_ALLOWED', UNPAYABLE.flow],
    ['EURC', { asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' }, 'ASSET_NOT_ALLOWED', UNPAYABLE.asset],
    ['the coin of the network', { asset: `0x${'0'.repeat(40)}` }, 'ASSET_NOT_ALLOWED', UNPAYABLE.asset],
  ])('error: refuses %s in the words of the service', (_, change, code, details) => {
    expect(screenOne(change)).toEqual({ code, details })
  })

  test.each([
    ['eip155:1', '0xe343167631d89B6Ffc58B88d6b7fB0228795491D'],
    ['eip155:43114', '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7'],
    ['eip155:137', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
  ])(
    'error: takes no other dollar token for dollars, though the tables price it: %s %s',
    (network, asset) => {
      expect(screenOne({ network, asset }, { networks: [network] })).toMatchObject({
        code: 'ASSET_NOT_ALLOWED',
      })
      const usdc = findNetwork(network)?.usdc
      expect(screenOne({ network, asset: usdc }, { networks: [network] })).toMatchObject({ candidates: [{}] })
    },
  )

  test('error: refuses a domain whose name or version is no text', () => {
    const odd = { toString: 1, valueOf: 1 }
    for (const extra of [{ name: odd, version: '2' }, { name: 'USD Coin', version: odd }, { version: ['2'] }])
      expect(screenOne({ extra })).toEqual({ code: 'DOMAIN_MISMATCH' })
  })

  test('error: names the option that shortens an authorization', () => {
    const refusal = screenOne({ maxTimeoutSeconds: 86_400 })
    expect(refusal).toMatchObject({ code: 'AUTHORIZATION_TOO_LONG' })
    expect(explainOne({ maxTimeoutSeconds: 86_400 })).toEqual({
      details: expect.stringMatching(/86400 seconds.*600.*routeConfig\.maxTimeoutSeconds of thirdweb/),
      allowedBy: '"maxAuthorizationSeconds": 86400',
    })
  })

  test('behavior: a network that the guard knows can be allowed, and no other', () => {
    const allowanceOf = (network: string) => explainOne({ network }).allowedBy
    expect(allowanceOf('eip155:137')).toBe('"networks" with "eip155:137"')
    expect(allowanceOf('eip155:99')).toBeUndefined()
  })

  test('error: refuses an amount that is decimal as a network that it does not pay on', () => {
    const issued = { network: 'xrpl:0', asset: 'USD', amount: '0.01', payTo: SOLANA.payTo }
    expect(screenOne(issued)).toEqual({ code: 'NETWORK_NOT_ALLOWED' })
  })
})

test.each([
  ['x.example:80', 'http://x.example/', 'HOST_NOT_ALLOWED'],
  ['x.example:80', 'http://x.example:80/', 'HOST_NOT_ALLOWED'],
  ['x.example:80', 'https://x.example:80/', 'HOST_NOT_ALLOWED'],
  ['x.example:80', 'https://x.example/', null],
  ['x.example:80', 'http://x.example:8080/', null],
  ['x.example', 'http://x.example:8080/', 'HOST_NOT_ALLOWED'],
])('behavior: a denied host %s and the URL %s', (host, url, code) => {
  const policy = parsePolicy({ denyHosts: [host], allowInsecureHttp: true })
  expect(screenAddress(policy, canonicalizeUrl(url))).toBe(code)
})
