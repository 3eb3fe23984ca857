import { describe, expect, test } from 'vitest'
import { encodeBase64Json } from '../base64Json.ts'
import { askForTerms, type ScanAnswer } from './answer.ts'
import { SCAN_CHECK_IDS, type ScanCheckId } from './checks.ts'
import { findValueToChange, scanTerms } from './scanTerms.ts'

const URL = 'https://api.example.com/weather'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const GOOD = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: USDC,
  amount: '10000',
  payTo: PAY_TO,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
}
const BAZAAR = { bazaar: { info: { input: { city: 'Paris' }, output: { example: {} } } } }

type Change = Record<string, unknown>
type Seller = {
  readonly offers?: readonly Change[]
  readonly document?: Change
  readonly headers?: Readonly<Record<string, string>>
}

function challenge({ offers = [{}], document = {}, headers = {} }: Seller = {}) {
  const terms = {
    x402Version: 2,
    resource: { url: URL },
    accepts: offers.map((offer) => ({ ...GOOD, ...offer })),
    extensions: BAZAAR,
    ...document,
  }
  return {
    status: 402,
    headers: { 'cache-control': 'no-store', 'payment-required': encodeBase64Json(terms), ...headers },
    body: null,
  }
}

type Reply = Omit<ScanAnswer, 'method'>
const refusal = (status: number): Reply => ({ status, headers: {}, body: null })

async function failed(byGet: Reply, byPost = byGet, url = URL) {
  const terms = await askForTerms(async (method) => ({ method, ...(method === 'GET' ? byGet : byPost) }))
  const results = scanTerms(url, terms)
  expect(results.map(({ id }) => id)).toEqual(SCAN_CHECK_IDS)
  return results.filter(({ outcome }) => outcome === 'fail')
}

describe('scanTerms', () => {
  test('default: an honest v2 seller passes every check', async () => {
    expect(await failed(challenge())).toEqual([])
  })

  test('default: an honest v1 seller passes every check', async () => {
    const { amount, ...rest } = GOOD
    const entry = {
      ...rest,
      network: 'base',
      maxAmountRequired: amount,
      resource: URL,
      description: '',
      outputSchema: { input: { type: 'http' }, output: { type: 'object' } },
    }
    const body = JSON.stringify({ x402Version: 1, accepts: [entry] })
    expect(await failed({ status: 402, headers: {}, body })).toEqual([])
  })

  test.each<[string, Seller, string]>([
    ['no resource', { document: { resource: undefined } }, 'refuses `resource`, which is missing'],
    ['a text as resource', { document: { resource: URL } }, 'refuses `resource`'],
    [
      'a resource in an entry alone',
      { document: { resource: undefined }, offers: [{ resource: URL }] },
      'refuses `resource`, which is missing',
    ],
    ['a list as extensions', { document: { extensions: [BAZAAR] } }, 'refuses `extensions`'],
    [
      'a list as tags',
      { document: { resource: { url: URL, tags: ['a', 'b', 'c', 'd', 'e', 'f'] } } },
      'refuses `resource.tags`',
    ],
    [
      'base64url',
      {
        headers: {
          'payment-required': encodeBase64Json({
            x402Version: 2,
            resource: { url: URL, description: '>>>???' },
            accepts: [GOOD],
          })
            .replaceAll('+', '-')
            .replaceAll('/', '_'),
        },
      },
      'base64url',
    ],
  ])('behavior: %s is what another client stumbles on', async (_, seller, detail) => {
    const findings = await failed(challenge(seller))
    const found = findings.find(({ id }) => id === 'offer_malformed')
    expect(found?.detail).toContain(detail)
  })

  test('behavior: a number as version of the domain is named as such', async () => {
    const findings = await failed(challenge({ offers: [{ extra: { name: 'USD Coin', version: 2 } }] }))
    expect(findings).toMatchObject([{ id: 'domain_mismatch', detail: '`extra.version` is not a text.' }])
  })

  test('behavior: a head of 20 kB does not fit a stock proxy', async () => {
    const document = { resource: { url: URL, description: 'x'.repeat(15_000) } }
    expect(await failed(challenge({ document }))).toMatchObject([{ id: 'head_too_large' }])
  })

  test.each<[ScanCheckId, Seller]>([
    ['network_unknown', { offers: [{ network: 'eip155:999999999' }] }],
    ['network_testnet', { offers: [{ network: 'eip155:84532' }] }],
    ['asset_unknown', { offers: [{ asset: PAY_TO.toLowerCase().replace('7', '8') }] }],
    ['scheme_unsafe', { offers: [{ scheme: 'allowance' }] }],
    ['receiver_unverified', { offers: [{ payTo: USDC }] }],
    ['receiver_unverified', { offers: [{ payTo: `0x${'0'.repeat(40)}` }] }],
    ['receiver_unverified', { offers: [{ payTo: '0x000000000000000000000000000000000000dEaD' }] }],
    ['receiver_unverified', { offers: [{ payTo: `0x${'0'.repeat(37)}100` }] }],
    ['receiver_unverified', { offers: [{}, { payTo: 'me' }] }],
    ['domain_mismatch', { offers: [{ extra: {} }] }],
    ['domain_mismatch', { offers: [{ extra: { name: 'USDC', version: '2' } }] }],
    ['domain_mismatch', { offers: [{ extra: { name: 'USD Coin', version: '1' } }] }],
    ['amount_strange', { offers: [{ amount: '0' }] }],
    ['amount_strange', { offers: [{ amount: '10000000000' }] }],
    ['offer_malformed', { offers: [{}, { amount: 0.01 }] }],
    ['terms_disagree', { offers: [{}, { payTo: `0x${'12'.repeat(20)}` }] }],
    ['resource_mismatch', { document: { resource: { url: 'https://other.example/weather' } } }],
    ['resource_mismatch', { document: { resource: { url: 'http://localhost:3000/weather' } } }],
    ['timeout_strange', { offers: [{ maxTimeoutSeconds: 86_400 }] }],
    ['timeout_strange', { offers: [{ maxTimeoutSeconds: 1 }] }],
    ['challenge_cached', { headers: { 'cache-control': 'public, max-age=60' } }],
    ['head_too_large', { headers: { 'x-long': 'a'.repeat(4_000) } }],
    ['payment_unsupported', { offers: [{ extra: { ...GOOD.extra, assetTransferMethod: 'permit2' } }] }],
    ['input_undeclared', { document: { extensions: { bazaar: { info: { output: {} } } } } }],
    ['output_undeclared', { document: { extensions: { bazaar: { info: { input: {} } } } } }],
  ])('behavior: finds %s: %o', async (id, seller) => {
    expect((await failed(challenge(seller))).map((result) => result.id)).toContain(id)
  })

  test('behavior: finds a v2 challenge that is in the body alone', async () => {
    const body = JSON.stringify({
      x402Version: 2,
      accepts: [GOOD],
      resource: { url: URL },
      extensions: BAZAAR,
    })
    expect(await failed({ status: 402, headers: {}, body })).toMatchObject([
      { id: 'challenge_misplaced', detail: 'The offers are in the body.' },
    ])
  })

  test('behavior: says what two protocols of one 402 ask for, and accepts equal terms', async () => {
    const ask = (amount: string, recipient: string) => {
      const terms = { amount, currency: USDC, recipient, methodDetails: { chainId: 8453 } }
      const request = encodeBase64Json(terms)
      return `Payment id="a", realm="api.example.com", method="evm", intent="charge", request="${request}"`
    }
    const both = (amount: string, recipient: string) =>
      failed(challenge({ headers: { 'www-authenticate': ask(amount, recipient) } }))
    expect(await both('10000', PAY_TO)).toEqual([])
    expect(await both('900000', USDC)).toMatchObject([
      {
        id: 'protocols_disagree',
        severity: 'critical',
        detail: 'It asks $0.01 by x402 and $0.9 by MPP to another receiver.',
      },
    ])
    expect(
      await failed({ status: 402, headers: { 'www-authenticate': ask('1', USDC) }, body: null }),
    ).toEqual([
      expect.objectContaining({
        detail: 'The 402 asks for payment by another protocol than x402.',
      }),
    ])
  })

  test('behavior: an endpoint without an answer fails the first check, and nothing is said of the others', () => {
    const results = scanTerms(URL, { answers: [], answer: null, challenge: null })
    expect(results.filter(({ outcome }) => outcome !== 'unknown')).toMatchObject([
      { id: 'insecure_http', outcome: 'pass' },
      { id: 'no_challenge', outcome: 'fail', detail: 'The endpoint did not answer.' },
    ])
  })

  test('behavior: one offer on a main network makes a further one on a test network no fault', async () => {
    const testnet = {
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      extra: { name: 'USDC', version: '2' },
    }
    expect(await failed(challenge({ offers: [{}, testnet] }))).toEqual([])
    expect(await failed(challenge({ offers: [testnet] }))).toMatchObject([
      { id: 'network_testnet', severity: 'critical', detail: 'The offer is on Base Sepolia.' },
    ])
  })

  test('behavior: asks by POST where GET is not asked to pay, and says why there are no terms', async () => {
    expect(await failed(refusal(405), challenge())).toEqual([])
    expect(await failed(refusal(405), refusal(422))).toMatchObject([
      { id: 'no_challenge', detail: 'The answer to an unpaid POST has status 422 instead of 402.' },
      { id: 'input_before_payment', detail: 'An unpaid POST without input has status 422.' },
    ])
    expect(await failed(refusal(200), challenge())).toMatchObject([
      { id: 'no_challenge', detail: 'The answer to an unpaid GET has status 200 instead of 402.' },
    ])
    expect((await failed({ status: 402, headers: {}, body: '{' })).map(({ detail }) => detail)).toEqual([
      'The 402 has no terms in header or body.',
    ])
    const accepts = [{ ...GOOD, payTo: 7 }]
    expect(await failed(challenge({ document: { accepts } }))).toMatchObject([
      {
        id: 'no_challenge',
        detail:
          'The 402 has no usable offer: accepts[0].payTo: expected an address of the network, got the number 7 (header).',
      },
    ])
  })

  test('behavior: plain http is a fault but on this machine', async () => {
    const ids = async (url: string) =>
      (await failed(challenge({ document: { resource: { url } } }), undefined, url)).map(({ id }) => id)
    expect(await ids('http://api.example.com/weather')).toEqual(['insecure_http'])
    expect(await ids('http://localhost.evil.example/weather')).toEqual(['insecure_http'])
    expect(await ids('http://localhost:4021/weather')).toEqual([])
    expect(await ids('http://127.0.0.1:4021/weather')).toEqual([])
  })
})

describe('findValueToChange', () => {
  async function changeFor(id: ScanCheckId, offers: readonly Change[]) {
    const terms = await askForTerms(async (method) => ({ method, ...challenge({ offers }) }))
    expect(scanTerms(URL, terms)).toContainEqual(expect.objectContaining({ id, outcome: 'fail' }))
    return findValueToChange(id, URL, terms)
  }

  test('default: names the field of the entry, what was read, and what it must be', async () => {
    expect(await changeFor('timeout_strange', [{}, { maxTimeoutSeconds: 1 }])).toEqual({
      where: 'header: accepts[1].maxTimeoutSeconds',
      read: '1',
      want: '60',
    })
    expect(await changeFor('domain_mismatch', [{ extra: { name: 'USDC', version: '2' } }])).toEqual({
      where: 'header: accepts[0].extra.name',
      read: 'USDC',
      want: 'USD Coin',
    })
  })

  test('behavior: names the entry that the check is about, not the first', async () => {
    const unknown = { network: 'eip155:999999999' }
    expect(await changeFor('asset_unknown', [unknown, { asset: PAY_TO }])).toEqual({
      where: 'header: accepts[1].asset',
      read: PAY_TO,
      want: USDC,
    })
    expect(await changeFor('offer_malformed', [{ payTo: 'me' }, { amount: 0.01 }])).toMatchObject({
      where: 'accepts[1] in the header',
    })
  })

  test("behavior: asks no other token for the signing domain of USDC's contract", async () => {
    expect(await changeFor('domain_mismatch', [{}, { asset: PAY_TO, extra: {} }])).toMatchObject({
      where: 'header: accepts[1].extra.name',
      want: "the name of the token's EIP-712 domain",
    })
  })
})
