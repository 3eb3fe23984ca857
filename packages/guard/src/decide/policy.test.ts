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

describe('decide', () => {
  test.each<[string, Case, string]>([
    ['default: a safe endpoint on the checked terms', {}, 'allow 10000'],
    ['behavior: the cheapest of several', { offers: [...price('3'), ...price('2')] }, 'allow 2'],
    ['behavior: a price below the checked one', { offers: price('1') }, 'allow 1'],
    [
      'behavior: addresses compare without regard to case',
      { offers: [{ payTo: HONEST.toLowerCase() }] },
      'allow 10000',
    ],
    [
      'behavior: an entry outside of the policy is passed over',
      { offers: [{ network: 'eip155:1', amount: '1' }, {}] },
      'allow 10000',
    ],
    ['behavior: http on this machine', { url: 'http://shop.localhost:4021/x' }, 'allow 10000'],
    [
      'behavior: http where the policy allows it',
      { url: 'http://a.example/x', policy: { allowInsecureHttp: true } },
      'allow 10000',
    ],
    ['behavior: a resource of another path', { resource: 'https://api.example.com/other' }, 'allow 10000'],
    ['behavior: an unknown endpoint, up to a cent', { state: unknown }, 'allow 10000'],
    [
      'behavior: an unknown endpoint, up to ten cents',
      { state: unknown, offers: price('100000') },
      'liveCheck VERDICT_UNKNOWN',
    ],
    [
      'behavior: an unknown endpoint that a live check does not know',
      { state: unknown, offers: price('100000'), isLive: true },
      'block VERDICT_UNKNOWN',
    ],
    [
      'behavior: an unknown endpoint, above ten cents',
      { state: unknown, offers: price('100001') },
      'block VERDICT_UNKNOWN',
    ],
    [
      'behavior: a new receiver, above a cent',
      { state: verdict({ receiverStability: 'new' }), offers: price('10001') },
      'liveCheck VERDICT_THIN',
    ],
    [
      'behavior: a new receiver that a live check calls safe',
      { state: verdict({ receiverStability: 'new' }), offers: price('10001'), isLive: true },
      'allow 10001',
    ],
    [
      'behavior: two probes, above a cent',
      { state: verdict({ probes: 2 }), offers: price('10001') },
      'liveCheck VERDICT_THIN',
    ],
    ['behavior: caution is asked about', { state: verdict({ verdict: 'caution' }) }, 'ask VERDICT_CAUTION'],
    [
      'behavior: caution where the policy allows it',
      { state: verdict({ verdict: 'caution' }), policy: { onCaution: 'allow' } },
      'allow 10000',
    ],
    [
      'behavior: caution where the policy blocks it',
      { state: verdict({ verdict: 'caution' }), policy: { onCaution: 'block' } },
      'block VERDICT_CAUTION',
    ],
    [
      'behavior: a rotating receiver is asked about',
      { state: verdict({ verdict: 'caution', flags: ['payto_rotates'] }), offers: [{ payTo: THIEF }] },
      'ask VERDICT_CAUTION',
    ],
    [
      'behavior: a rotating receiver is never better than caution',
      { state: verdict({ flags: ['payto_rotates'] }) },
      'ask VERDICT_CAUTION',
    ],
    [
      'behavior: avoid is never better than caution',
      { state: verdict({ verdict: 'avoid' }), policy: { block: [] } },
      'ask VERDICT_AVOID',
    ],
    ['behavior: a pin that a stable verdict replaces', { view: { pinnedReceiver: THIEF } }, 'allow 10000'],
    ['error: plain http', { url: 'http://api.example.com/weather' }, 'block INSECURE_HTTP'],
    [
      'error: a host that only looks like this machine',
      { url: 'http://localhost.example.com/x' },
      'block INSECURE_HTTP',
    ],
    [
      'error: a resource of another origin',
      { resource: 'https://api.example.com.evil.example/weather' },
      'block RESOURCE_MISMATCH',
    ],
    [
      'error: a resource of another port',
      { resource: 'https://api.example.com:8443/weather' },
      'block RESOURCE_MISMATCH',
    ],
    ['error: a verdict to avoid', { state: verdict({ verdict: 'avoid' }) }, 'block VERDICT_AVOID'],
    [
      'error: no verdict',
      { state: { state: 'unavailable', detail: '', lastSeen: 'safe' } },
      'block VERDICT_UNAVAILABLE',
    ],
    [
      'error: no verdict, and the last one was to avoid',
      { state: { state: 'unavailable', detail: '', lastSeen: 'avoid' } },
      'block VERDICT_AVOID',
    ],
    ['error: a receiver that was not checked', { offers: [{ payTo: THIEF }] }, 'block RECEIVER_NOT_CHECKED'],
    [
      'error: a receiver that was not checked, at caution',
      { offers: [{ payTo: THIEF }], state: verdict({ verdict: 'caution' }) },
      'block RECEIVER_NOT_CHECKED',
    ],
    ...[[{ network: 'eip155:43114', asset: AVALANCHE_USDC }, { payTo: THIEF }]]
      .flatMap((offers) => [offers, offers.toReversed()])
      .map((offers, index): [string, Case, string] => [
        `error: a swapped receiver beside a network that was not checked, order ${index}`,
        { offers, policy: { networks: ['eip155:8453', 'eip155:43114'] } },
        'block RECEIVER_NOT_CHECKED',
      ]),
    [
      'error: a swapped receiver beside a foreign network',
      { offers: [{ network: 'eip155:1' }, { payTo: THIEF }] },
      'block RECEIVER_NOT_CHECKED',
    ],
    ['error: a known endpoint without terms', { state: verdict({ terms: [] }) }, 'block TERMS_NOT_CHECKED'],
    [
      'error: an asset that was not checked',
      { state: verdict({ terms: [termOf(HONEST, '50000', { asset: THIEF })] }) },
      'block TERMS_NOT_CHECKED',
    ],
    ['error: a price above the checked one', { offers: price('50001') }, 'block PRICE_ABOVE_CHECKED'],
    [
      'error: terms that are known, where the verdict has run out',
      { state: verdict({ verdict: 'unknown' }), offers: [{ payTo: THIEF }] },
      'block RECEIVER_NOT_CHECKED',
    ],
    [
      'error: another receiver than the pinned one',
      { view: { pinnedReceiver: THIEF }, state: unknown },
      'block RECEIVER_PIN_MISMATCH',
    ],
    [
      'error: a changed receiver, though the verdict lists it',
      { view: { pinnedReceiver: THIEF }, state: verdict({ receiverStability: 'changed' }) },
      'block RECEIVER_PIN_MISMATCH',
    ],
    ['error: a score below the minimum', { policy: { minScore: 91 } }, 'block SCORE_TOO_LOW'],
    [
      'error: no score where there is a minimum',
      { policy: { minScore: 1 }, state: unknown },
      'block SCORE_TOO_LOW',
    ],
    ['error: strikes', { view: { strikes: 1 } }, 'block NO_DELIVERY_STRIKE'],
    ['error: velocity', { view: { hostPaymentsLastMinute: 30 } }, 'block TOO_MANY_PAYMENTS'],
    ['error: a loop', { view: { identicalPaymentsLastMinute: 20 } }, 'block PAYMENT_LOOP'],
  ])('%s', (_, given, expected) => {
    expect(outcome(run(given))).toBe(expected)
  })
})
