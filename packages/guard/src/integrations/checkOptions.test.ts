import { x402Client } from '@x402/fetch'
import { describe, expect, test } from 'vitest'
import { createMemoryLedger } from '../ledger/journal.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'
import { createGuardedFetch, type GuardedFetchOptions } from './createGuardedFetch.ts'

const service = { url: 'https://touchstone.example' }
const KEY = `0x${'ab'.repeat(32)}`
const ACCOUNT = 'account: expected an account such as privateKeyToAccount(key) of viem/accounts'
const LEDGER = 'ledger: expected a ledger, such as await createFileLedger(path)'
const { account } = createCountingAccount()

/** Returns what is wrong with options, as an untyped caller may give them. */
function problemsOf(create: () => unknown): unknown {
  try {
    create()
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'CONFIGURATION' })
    return (error as { details?: string }).details
  }
  return 'accepted'
}

const guardOf = (options: unknown) => problemsOf(() => createGuard(options as GuardOptions))
const fetchOf = (options: unknown) => problemsOf(() => createGuardedFetch(options as GuardedFetchOptions))

describe('options of a guard', () => {
  test('default: every option of its type is accepted, also when it is undefined', () => {
    const { ledger } = createGuard({ service })
    const given = {
      service,
      ledger,
      account,
      ask: () => true,
      askTimeoutMs: 5,
      keepUrls: true,
      now: Date.now,
    }
    expect(guardOf({ ...given, rpcUrls: {}, onDecision() {}, verifySignature: async () => true })).toBe(
      'accepted',
    )
    expect(guardOf({ service, ledger: undefined, account: undefined, log: undefined })).toBe('accepted')
    class Wallet {
      readonly address = account.address
      signTypedData = account.signTypedData
    }
    expect(fetchOf({ service, account: new Wallet() })).toBe('accepted')
  })

  test.each([
    ['a misspelt option', { polcy: {} }, 'polcy: unknown field; nearest: policy'],
    ['a rule', { maxPerPaymentUsd: '0.01' }, 'maxPerPaymentUsd: belongs into policy'],
    ['a list of the policy', { denyHosts: [] }, 'denyHosts: belongs into policy'],
    ['an option of the service', { url: service.url }, 'url: belongs into service'],
    [
      'two',
      { polcy: {}, minScore: 9 },
      'polcy: unknown field; nearest: policy; minScore: belongs into policy',
    ],
    ['a ledger not awaited', { ledger: Promise.resolve(createMemoryLedger()) }, LEDGER],
    ['the URL of a ledger', { ledger: 'postgres://agent:hush@db.example/agents' }, LEDGER],
    ['a part of a ledger', { ledger: { ...createMemoryLedger(), reserve: undefined } }, LEDGER],
    ['no function to ask', { ask: 'yes' }, 'ask: expected a function, not "yes"'],
    ['no observer', { onDecision: console }, /^onDecision: expected a function, not /],
    [
      'an endless wait',
      { askTimeoutMs: 1e12 },
      /^askTimeoutMs: expected a whole number from 0 to 2147483647/,
    ],
    [
      'one RPC URL',
      { rpcUrls: 'https://rpc.example/key' },
      'rpcUrls: expected an object of RPC URLs by CAIP-2 id',
    ],
  ])('error: %s', (_, wrong, expected) => {
    const details = guardOf({ service, ...wrong })
    if (typeof expected === 'string') expect(details).toBe(expected)
    else expect(details).toMatch(expected)
    expect(fetchOf({ service, account, ...wrong })).toBe(details)
  })

  test('error: a misspelt option beside a guard', () => {
    expect(fetchOf({ account, guard: createGuard({ service }), polcy: {} })).toBe(
      'polcy: unknown field; nearest: policy',
    )
    expect(fetchOf({ account, guard: service })).toBe('guard: expected a guard of createGuard')
  })
})

describe('accounts', () => {
  test.each([
    ['a key', KEY],
    ['an address alone', { address: account.address }],
    ['an object without an address', { signTypedData: account.signTypedData }],
    ['null', null],
  ])('error: %s; it is never shown', (_, wrong) => {
    expect(guardOf({ service, account: wrong })).toBe(ACCOUNT)
    expect(fetchOf({ service, account: wrong })).toBe(ACCOUNT)
    expect(problemsOf(() => createGuard({ service }).account(wrong as SigningAccount))).toBe(ACCOUNT)
  })

  test('error: none, or something else in place of the options', () => {
    expect(fetchOf(undefined)).toBe(ACCOUNT)
    expect(fetchOf({ service })).toBe(ACCOUNT)
    expect(fetchOf(KEY)).toBe('options: expected an object')
    expect(guardOf(KEY)).toBe('options: expected an object')
    expect(guardOf(null)).toBe('options: expected an object')
  })
})

describe('options of the integrations', () => {
  const guard = createGuard({ service })

  test.each<[string, () => unknown, string]>([
    [
      'a misspelt limit',
      () => guard.fetch(fetch, { maxUSD: '1' } as object),
      'maxUSD: unknown field; nearest: maxUsd',
    ],
    [
      'a URL in place of a fetch',
      () => guard.fetch('/weather' as never),
      'inner: expected a function, not "/weather"',
    ],
    [
      'a task without a budget',
      () => (guard.task as (name: string) => unknown)('x'),
      'maxUsd: expected dollars as a decimal string such as "0.50", got undefined',
    ],
    [
      'a task with a rule',
      () => guard.task('x', { maxTotalUsd: '1' } as never),
      'maxTotalUsd: belongs into policy',
    ],
    ['no client', () => guard.hooks({} as never), 'client: expected an x402Client'],
    ['a URL alone', () => guard.hooks(new x402Client(), service.url as never), 'options: expected an object'],
    [
      'a misspelt method',
      () => guard.hooks(new x402Client(), { ...service, mehtod: 'POST' } as never),
      'mehtod: unknown field; nearest: method; method: expected a text that is not empty, not nothing',
    ],
  ])('error: %s', (_, create, expected) => {
    expect(problemsOf(create)).toBe(expected)
  })

  test('error: a misspelt limit of one call, before anything is sent', async () => {
    const sent: unknown[] = []
    const pay = createGuardedFetch({
      service,
      account,
      fetch: async (input) => {
        sent.push(input)
        return new Response('sunny')
      },
    })
    const wrong = { maxUSD: '0.001' } as RequestInit
    await expect(pay('https://api.example.com/weather', wrong)).rejects.toMatchObject({
      name: 'ConfigurationError',
      details: 'maxUSD: unknown field; nearest: maxUsd',
    })
    expect(sent).toEqual([])
    // Other fields may be meant for the fetch below.
    const more = { next: { revalidate: 1 }, maxUsd: '0.001' } as RequestInit
    expect((await pay('https://api.example.com/weather', more)).status).toBe(200)
  })
})
