import { describe, expect, test } from 'vitest'
import { type Case, outcome, run, verdict } from '../testing/decisions.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { termOf } from '../testing/service.ts'

const AVALANCHE_USDC = '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'
const unknown = verdict({
  verdict: 'unknown',
  score: undefined,
  terms: [],
  receiverStability: null,
  probes: 0,
})
const price = (amount: string) => [{ amount }]
const delivered = (paidUsd: number) => ({ status: 'delivered', month: '2026-11', paidUsd, reason: null })
const dearTerms = { terms: [termOf(HONEST, '5000000')] }
const dear: Case = {
  policy: { requireDeliveryAboveUsd: '0.05', maxPerPaymentUsd: '5.00', maxPerHostPerDayUsd: '5.00' },
}

describe('decide', () => {
  test.each<[string, Case, string]>([
    ['default: allows a safe endpoint on the checked terms', {}, 'allow 10000'],
    ['behavior: chooses the cheapest offer', { offers: [...price('3'), ...price('2')] }, 'allow 2'],
    ['behavior: allows a price below the checked one', { offers: price('1') }, 'allow 1'],
    [
      'behavior: compares addresses case-insensitively',
      { offers: [{ payTo: HONEST.toLowerCase() }] },
      'allow 10000',
    ],
    [
      'behavior: ignores an offer outside the policy',
      { offers: [{ network: 'eip155:1', amount: '1' }, {}] },
      'allow 10000',
    ],
    ['behavior: allows http on this machine', { url: 'http://shop.localhost:4021/x' }, 'allow 10000'],
    [
      'behavior: allows http if the policy does',
      { url: 'http://a.example/x', policy: { allowInsecureHttp: true } },
      'allow 10000',
    ],
    [
      'behavior: allows a resource with another path',
      { resource: 'https://api.example.com/other' },
      'allow 10000',
    ],
    ['behavior: allows an unknown endpoint up to $0.01', { state: unknown }, 'allow 10000'],
    [
      'behavior: needs a live check for an unknown endpoint up to $0.10',
      { state: unknown, offers: price('100000') },
      'liveCheck VERDICT_UNKNOWN',
    ],
    [
      'behavior: blocks an endpoint that a live check does not know',
      { state: unknown, offers: price('100000'), isLive: true },
      'block VERDICT_UNKNOWN',
    ],
    [
      'behavior: blocks an unknown endpoint above $0.10',
      { state: unknown, offers: price('100001') },
      'block VERDICT_UNKNOWN',
    ],
    [
      'behavior: needs a live check for a new receiver above $0.01',
      { state: verdict({ receiverStability: 'new' }), offers: price('10001') },
      'liveCheck VERDICT_THIN',
    ],
    [
      'behavior: allows a new receiver after a safe live check',
      { state: verdict({ receiverStability: 'new' }), offers: price('10001'), isLive: true },
      'allow 10001',
    ],
    [
      'behavior: needs a live check above $0.01 with fewer than 3 probes',
      { state: verdict({ probes: 2 }), offers: price('10001') },
      'liveCheck VERDICT_THIN',
    ],
    [
      'behavior: pays above requireDeliveryAboveUsd what was delivered for a third of the price',
      { state: verdict({ ...dearTerms, delivery: delivered(0.57) }), offers: price('1710000'), ...dear },
      'allow 1710000',
    ],
    [
      'behavior: refuses a price above three times what was paid for the delivery',
      { state: verdict({ ...dearTerms, delivery: delivered(0.57) }), offers: price('1710001'), ...dear },
      'block DELIVERY_NOT_PROVEN',
    ],
    [
      'behavior: pays up to requireDeliveryAboveUsd without a delivery',
      { state: verdict(dearTerms), offers: price('50000'), ...dear },
      'allow 50000',
    ],
    [
      'behavior: refuses a verdict that states no delivery above requireDeliveryAboveUsd',
      { state: verdict(dearTerms), offers: price('50001'), ...dear },
      'block DELIVERY_NOT_PROVEN',
    ],
    ...['never_bought', 'cannot_be_bought', 'failed', 'a_status_of_later'].map(
      (status): [string, Case, string] => [
        `behavior: refuses a delivery that is ${status} above requireDeliveryAboveUsd`,
        {
          state: verdict({ ...dearTerms, delivery: { ...delivered(1), status } }),
          offers: price('50001'),
          ...dear,
        },
        'block DELIVERY_NOT_PROVEN',
      ],
    ),
    [
      'behavior: refuses every payment above requireDeliveryAboveUsd without a service',
      { state: null, offers: price('50001'), ...dear },
      'block DELIVERY_NOT_PROVEN',
    ],
    [
      'behavior: asks at a caution verdict',
      { state: verdict({ verdict: 'caution' }) },
      'ask VERDICT_CAUTION',
    ],
    [
      'behavior: allows a caution verdict if the policy does',
      { state: verdict({ verdict: 'caution' }), policy: { onCaution: 'allow' } },
      'allow 10000',
    ],
    [
      'behavior: blocks a caution verdict if the policy does',
      { state: verdict({ verdict: 'caution' }), policy: { onCaution: 'block' } },
      'block VERDICT_CAUTION',
    ],
    [
      'behavior: asks if the receiver rotates',
      { state: verdict({ verdict: 'caution', flags: ['payto_rotates'] }), offers: [{ payTo: THIEF }] },
      'ask VERDICT_CAUTION',
    ],
    [
      'behavior: treats a safe verdict with a rotating receiver as caution',
      { state: verdict({ flags: ['payto_rotates'] }) },
      'ask VERDICT_CAUTION',
    ],
    [
      'behavior: asks at an avoid verdict that the policy does not block',
      { state: verdict({ verdict: 'avoid' }), policy: { block: [] } },
      'ask VERDICT_AVOID',
    ],
    [
      'behavior: allows a changed receiver that the verdict calls stable',
      { view: { pinnedReceiver: THIEF } },
      'allow 10000',
    ],
    ['error: blocks plain http', { url: 'http://api.example.com/weather' }, 'block INSECURE_HTTP'],
    [
      'error: blocks plain http to a host that starts with localhost',
      { url: 'http://localhost.example.com/x' },
      'block INSECURE_HTTP',
    ],
    [
      'error: blocks a resource of another origin',
      { resource: 'https://api.example.com.evil.example/weather' },
      'block RESOURCE_MISMATCH',
    ],
    [
      'error: blocks a resource of another port',
      { resource: 'https://api.example.com:8443/weather' },
      'block RESOURCE_MISMATCH',
    ],
    [
      'error: blocks a resource that names another host without a scheme',
      { resource: '//bank.example/weather' },
      'block RESOURCE_MISMATCH',
    ],
    [
      'error: blocks a resource of another host of the site that the verdict does not name',
      { resource: 'https://www.example.com/weather' },
      'block RESOURCE_MISMATCH',
    ],
    [
      'behavior: allows a resource of another host of the site that the verdict names',
      {
        resource: 'https://www.example.com/weather',
        state: verdict({ resourceHosts: ['www.example.com'] }),
      },
      'allow 10000',
    ],
    [
      'behavior: allows a resource of a site that moved here, as the verdict says',
      {
        resource: 'https://weather.example/weather',
        state: verdict({ resourceHosts: ['weather.example'] }),
      },
      'allow 10000',
    ],
    [
      'error: blocks a resource of another site that the verdict does not name',
      {
        resource: 'https://bank.example/weather',
        state: verdict({ resourceHosts: ['weather.example'] }),
      },
      'block RESOURCE_MISMATCH',
    ],
    [
      'error: blocks another port of a host that the verdict names',
      {
        resource: 'https://weather.example:8443/weather',
        state: verdict({ resourceHosts: ['weather.example'] }),
      },
      'block RESOURCE_MISMATCH',
    ],
    [
      'behavior: allows a resource of a forgotten localhost',
      { resource: 'http://localhost:3000/weather' },
      'allow 10000',
    ],
    [
      'behavior: pays a seller who also offers what the guard cannot pay',
      {
        offers: [
          { amount: '2', extra: { assetTransferMethod: 'permit2' } },
          { amount: '1', scheme: 'upto' },
          {
            amount: '3',
            extra: {
              name: 'GatewayWalletBatched',
              version: '1',
              verifyingContract: '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE',
            },
          },
          {},
        ],
      },
      'allow 10000',
    ],
    ['error: refuses an avoid verdict', { state: verdict({ verdict: 'avoid' }) }, 'block VERDICT_AVOID'],
    ...(['safe', 'caution', 'unknown'] as const).flatMap((code): [string, Case, string][] => [
      [
        `error: treats risk high as avoid though the verdict is ${code}`,
        { state: verdict({ verdict: code, riskLevel: 'high' }), policy: { onCaution: 'allow' } },
        'block RISK_TOO_HIGH',
      ],
      [
        `behavior: asks at risk high, as at avoid, if the policy does not block it and the verdict is ${code}`,
        { state: verdict({ verdict: code, riskLevel: 'high' }), policy: { block: [] } },
        'ask VERDICT_AVOID',
      ],
      [
        `error: refuses risk high without terms, however small the amount, though the verdict is ${code}`,
        { state: verdict({ verdict: code, riskLevel: 'high', terms: [] }), policy: { block: [] } },
        'block TERMS_NOT_CHECKED',
      ],
    ]),
    [
      'error: blocks an endpoint without a verdict',
      { state: { state: 'unavailable', detail: '', lastSeen: 'safe' } },
      'block VERDICT_UNAVAILABLE',
    ],
    [
      'error: blocks with VERDICT_AVOID if the last verdict was avoid',
      { state: { state: 'unavailable', detail: '', lastSeen: 'avoid' } },
      'block VERDICT_AVOID',
    ],
    [
      'error: blocks a receiver that was not checked',
      { offers: [{ payTo: THIEF }] },
      'block RECEIVER_NOT_CHECKED',
    ],
    [
      'error: blocks a receiver that was not checked at a caution verdict',
      { offers: [{ payTo: THIEF }], state: verdict({ verdict: 'caution' }) },
      'block RECEIVER_NOT_CHECKED',
    ],
    ...[[{ network: 'eip155:43114', asset: AVALANCHE_USDC }, { payTo: THIEF }]]
      .flatMap((offers) => [offers, offers.toReversed()])
      .map((offers, index): [string, Case, string] => [
        `error: reports a changed receiver rather than an unchecked network, order ${index}`,
        { offers, policy: { networks: ['eip155:8453', 'eip155:43114'] } },
        'block RECEIVER_NOT_CHECKED',
      ]),
    [
      'error: reports a changed receiver rather than a foreign network',
      { offers: [{ network: 'eip155:1' }, { payTo: THIEF }] },
      'block RECEIVER_NOT_CHECKED',
    ],
    [
      'error: blocks a known endpoint without checked terms',
      { state: verdict({ terms: [] }) },
      'block TERMS_NOT_CHECKED',
    ],
    [
      'error: blocks an asset that was not checked',
      { state: verdict({ terms: [termOf(HONEST, '50000', { asset: THIEF })] }) },
      'block TERMS_NOT_CHECKED',
    ],
    ['error: refuses a price above the checked one', { offers: price('50001') }, 'block PRICE_ABOVE_CHECKED'],
    [
      'error: blocks unchecked terms of an unknown endpoint with checked terms',
      { state: verdict({ verdict: 'unknown' }), offers: [{ payTo: THIEF }] },
      'block RECEIVER_NOT_CHECKED',
    ],
    [
      'error: blocks a receiver that differs from the pinned one',
      { view: { pinnedReceiver: THIEF }, state: unknown },
      'block RECEIVER_PIN_MISMATCH',
    ],
    [
      'error: blocks a changed receiver that the verdict lists but does not call stable',
      { view: { pinnedReceiver: THIEF }, state: verdict({ receiverStability: 'changed' }) },
      'block RECEIVER_PIN_MISMATCH',
    ],
    ['error: blocks a score below the minimum', { policy: { minScore: 91 } }, 'block SCORE_TOO_LOW'],
    [
      'error: blocks an endpoint without a score if a minimum is set',
      { policy: { minScore: 1 }, state: unknown },
      'block SCORE_TOO_LOW',
    ],
    [
      'error: blocks after a paid call without delivery',
      { view: { struckUntil: 1 } },
      'block NO_DELIVERY_STRIKE',
    ],
    [
      'error: blocks after too many payments to one host',
      { view: { hostPaymentsLastMinute: 30 } },
      'block TOO_MANY_PAYMENTS',
    ],
    [
      'error: blocks after too many identical calls',
      { view: { identicalPaymentsLastMinute: 20 } },
      'block PAYMENT_LOOP',
    ],
  ])('%s', (_, given, expected) => {
    expect(outcome(run(given))).toBe(expected)
  })
})

describe('terms of a method', () => {
  const dear = { offers: [{ amount: '40000' }] }

  test('default: a term checked for GET vouches for GET and HEAD', () => {
    expect(outcome(run(dear))).toBe('allow 40000')
    expect(outcome(run({ ...dear, method: 'HEAD' }))).toBe('allow 40000')
  })

  test('behavior: a POST that was not checked is limited like an unknown endpoint', () => {
    expect(outcome(run({ ...dear, method: 'POST' }))).toBe('liveCheck VERDICT_THIN')
    expect(outcome(run({ ...dear, method: 'POST', isLive: true }))).toBe('block VERDICT_THIN')
    expect(outcome(run({ method: 'POST' }))).toBe('allow 10000')
    expect(outcome(run({ method: 'POST', offers: [{ payTo: THIEF }] }))).toBe('block RECEIVER_NOT_CHECKED')
    const state = verdict({ terms: [termOf(HONEST, '50000', { method: 'POST' })] })
    expect(outcome(run({ ...dear, method: 'POST', state }))).toBe('allow 40000')
  })
})
