import { encodeBase64Json, isRecord } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { PolicyInput } from '../decide/policySchema.ts'
import { isGuardError } from '../errors.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import type { ReasonCode } from '../reasons.ts'
import { HONEST } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createGuard } from './createGuard.ts'

/** Terms and the place of a call. */
type Call = { usd?: number; path?: string; host?: string; scheme?: string; terms?: object }

/** Asks guards over one ledger, each with a policy of its own, to approve calls. */
function setUp(ledger = createMemoryLedger()) {
  /** Approves a call. Returns the id of the payment, or the refusal. */
  return async (policy: PolicyInput, call: Call = {}) => {
    const { usd = 0.01, path = '/a', host = 'api.example.com', scheme = 'https', terms } = call
    const offer = {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: USDC,
      payTo: HONEST,
      maxTimeoutSeconds: 60,
    }
    const accepts = [{ ...offer, amount: String(Math.round(usd * 1e6)), ...terms }]
    const url = `${scheme}://${host}${path}`
    const header = encodeBase64Json({ x402Version: 2, resource: { url }, accepts })
    const headers = { 'payment-required': header }
    const approved = createGuard({ policy, ledger, service: undefined }).approve({ url, headers, body: null })
    const { id, error } = await approved.then(
      () => ({ id: null, error: null }),
      (error: unknown) => ({ id: null, error }),
    )
    if (error !== null && !isGuardError(error)) throw error
    return { id, error }
  }
}

const merge = (policy: object, change: object): object =>
  Object.fromEntries(
    [...new Set([...Object.keys(policy), ...Object.keys(change)])].map((key) => {
      const [a, b] = [policy, change].map((one) => Reflect.get(one, key))
      return [key, isRecord(a) && isRecord(b) ? merge(a, b) : (b ?? a)]
    }),
  )

const EARNED = { newSeller: { perCallUsd: '9', perDayUsd: '9', allPerDayUsd: '9' } }
const many = (count: number, usd: number): Call[] =>
  Array.from({ length: count }, (_, index) => ({ usd, path: `/${index}` }))

test.each<[code: ReasonCode, policy: PolicyInput, before: Call[], call: Call]>([
  ['OVER_PAYMENT_LIMIT', EARNED, [], { usd: 1.5 }],
  ['OVER_ASK_LIMIT', { ...EARNED, askAboveUsd: '0.10' }, [], { usd: 0.5 }],
  ['OVER_NEW_SELLER_LIMIT', {}, [], { usd: 0.5 }],
  ['OVER_NEW_SELLER_DAY_LIMIT', {}, many(5, 0.1), { usd: 0.05 }],
  [
    'OVER_NEW_SELLERS_DAY_LIMIT',
    { newSeller: { allPerDayUsd: '0.02' } },
    many(2, 0.01),
    { host: 'b.example' },
  ],
  ['OVER_HOST_DAY_LIMIT', EARNED, many(2, 0.5), { usd: 0.05 }],
  ['OVER_RECEIVER_DAY_LIMIT', { ...EARNED, maxPerReceiverPerDayUsd: '0.30' }, many(1, 0.25), { usd: 0.1 }],
  ['OVER_DAY_LIMIT', { ...EARNED, maxPerDayUsd: '0.30' }, many(1, 0.25), { usd: 0.1 }],
  ['OVER_TOTAL_LIMIT', { ...EARNED, maxTotalUsd: '0.30' }, many(1, 0.25), { usd: 0.1 }],
  ['TOO_MANY_PAYMENTS', { velocity: { perHostPerMinute: 2 } }, many(2, 0.01), {}],
  ['INSECURE_HTTP', {}, [], { scheme: 'http' }],
  ['AUTHORIZATION_TOO_LONG', {}, [], { terms: { maxTimeoutSeconds: 86_400 } }],
  [
    'SCHEME_NOT_ALLOWED',
    { allowUpfrontUpToUsd: '0.01' },
    [],
    { usd: 0.02, terms: { extra: { paymentFlow: 'upfront' } } },
  ],
])(
  'behavior: what the refusal %s names does allow the payment, and no more than that',
  async (code, policy, before, call) => {
    const approve = setUp()
    for (const one of before) expect((await approve(policy, one)).error).toBeNull()
    const { error } = await approve(policy, call)
    expect(error?.code).toBe(code)
    const change = JSON.parse(`{${error?.allowedBy}}`)
    const allowing = merge(policy, change) as PolicyInput
    // A cent more is refused still, where the hint is about an amount.
    if (/_LIMIT$/.test(code) && !/SELLER/.test(code))
      expect((await approve(allowing, { ...call, usd: (call.usd ?? 0.01) + 0.01 })).error?.code).toBe(code)
    expect((await approve(allowing, call)).error).toBeNull()
  },
)

test.each<[code: ReasonCode, lowered: PolicyInput]>([
  ['OVER_HOST_DAY_LIMIT', { maxPerHostPerDayUsd: '0.10' }],
  ['OVER_RECEIVER_DAY_LIMIT', { maxPerReceiverPerDayUsd: '0.10' }],
  ['OVER_DAY_LIMIT', { maxPerDayUsd: '0.10' }],
  ['OVER_TOTAL_LIMIT', { maxTotalUsd: '0.10' }],
  ['TOO_MANY_PAYMENTS', { velocity: { perHostPerMinute: 1 } }],
])(
  'behavior: what %s names has room for what was paid before the limit was lowered',
  async (code, lowered) => {
    const approve = setUp()
    for (const one of many(3, 0.2)) expect((await approve(EARNED, one)).error).toBeNull()
    const policy = { ...EARNED, ...lowered }
    const { error } = await approve(policy)
    expect(error?.code).toBe(code)
    expect((await approve(merge(policy, JSON.parse(`{${error?.allowedBy}}`)))).error).toBeNull()
  },
)

test('error: a wildcard over shared hosting is refused before anything is paid', async () => {
  const approve = setUp()
  const { error } = await approve({ hosts: { '*.vercel.app': {} } })
  expect(error).toMatchObject({ code: 'CONFIGURATION', details: expect.stringContaining('policy.hosts') })
})

test('error: so is a host of shared hosting below a wider wildcard, and no other host of it', async () => {
  const approve = setUp()
  const policy = { hosts: { '*.amazonaws.com': {} } }
  const { error } = await approve(policy, { host: 'evil.s3.amazonaws.com', usd: 0.5 })
  expect(error).toMatchObject({ code: 'CONFIGURATION', details: expect.stringContaining('s3.amazonaws.com') })
  expect((await approve(policy, { host: 'api.amazonaws.com', usd: 0.5 })).error).toBeNull()
  const named = { hosts: { ...policy.hosts, 'shop.s3.amazonaws.com': {} } }
  expect((await approve(named, { host: 'shop.s3.amazonaws.com', usd: 0.2 })).error).toBeNull()
})

test('behavior: a limit of the day holds where an entry with the port 80 covers the host by http alone', async () => {
  const limits = { maxPerDayUsd: '0.05' }
  for (const entry of ['api.example.com', '*.example.com']) {
    const approve = setUp()
    const policy = { allowInsecureHttp: true, hosts: { [entry]: limits, 'api.example.com:80': limits } }
    expect((await approve(policy, { usd: 0.05 })).error).toBeNull()
    for (const scheme of ['https', 'http'])
      expect((await approve(policy, { scheme, path: `/${scheme}` })).error?.code).toBe('OVER_HOST_DAY_LIMIT')
  }
})

test('behavior: the hosts of an entry share one daily sum, also over a change of the policy', async () => {
  const approve = setUp()
  const hosts = { '*.example.com': { maxPerDayUsd: '0.30' } }
  expect((await approve({ hosts }, { host: 'a.example.com', usd: 0.2 })).error).toBeNull()
  const { error } = await approve({ hosts }, { host: 'b.example.com', usd: 0.2 })
  expect(error).toMatchObject({
    code: 'OVER_HOST_DAY_LIMIT',
    setting: 'hosts.*.example.com.maxPerDayUsd',
    limit: '0.3',
    remaining: '0.1',
    allowedBy: '"hosts": {"*.example.com": {"maxPerDayUsd": "0.4"}}',
  })
  const own = { ...hosts, 'b.example.com': {} }
  expect((await approve({ hosts: own }, { host: 'b.example.com', usd: 0.2 })).error).toBeNull()
  // What the host with an entry of its own has taken does not count there.
  expect((await approve({ hosts: own }, { host: 'c.example.com', usd: 0.1 })).error).toBeNull()
  expect((await approve({ hosts: own }, { host: 'd.example.com' })).error?.code).toBe('OVER_HOST_DAY_LIMIT')
})

test('behavior: payments that are stopped name the command, and no time at which to come back', async () => {
  const ledger = createMemoryLedger()
  await ledger.setStopped(true)
  const { error } = await setUp(ledger)({})
  expect(error).toMatchObject({ code: 'STOPPED', allowedBy: 'touchstone stop --resume' })
  expect(error?.resetsAt).toBeUndefined()
})
