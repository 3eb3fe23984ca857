import { describe, expect, expectTypeOf, test } from 'vitest'
import type { PolicyInput } from '../decide/policySchema.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { createGuard, type Guard, type GuardOptions, type ServiceOptions } from './createGuard.ts'
import { createGuardedFetch, type GuardedFetchOptions } from './createGuardedFetch.ts'

type Account = { account: SigningAccount }
type Wrong = { policy: PolicyInput } | { service: ServiceOptions } | { now: () => number }

describe('options that compile', () => {
  test('default: a guard, the options for one, or neither', () => {
    expectTypeOf<Account>().toExtend<GuardedFetchOptions>()
    expectTypeOf<Account & { guard: Guard; fetch: typeof fetch }>().toExtend<GuardedFetchOptions>()
    expectTypeOf<Account & { policy: PolicyInput; service: ServiceOptions }>().toExtend<GuardedFetchOptions>()
    expectTypeOf<Account & Pick<GuardOptions, 'ledger' | 'ask'>>().toExtend<GuardedFetchOptions>()
  })

  test('error: not a guard together with options for one', () => {
    expectTypeOf<Account & { guard: Guard } & Wrong>().not.toExtend<GuardedFetchOptions>()
    expectTypeOf<Account & { guard: Guard; ledger: Guard['ledger'] }>().not.toExtend<GuardedFetchOptions>()
    expectTypeOf<Account & { guard: Guard; ask: () => boolean }>().not.toExtend<GuardedFetchOptions>()
  })

  test('error: not without an account, or with a service that has no URL', () => {
    expectTypeOf<{ guard: Guard }>().not.toExtend<GuardedFetchOptions>()
    expectTypeOf<{ policy: PolicyInput }>().not.toExtend<GuardedFetchOptions>()
    expectTypeOf<{ service: { payTo: string } }>().not.toExtend<GuardOptions>()
    expectTypeOf<{ service: string }>().not.toExtend<GuardOptions>()
  })

  test('error: not with unknown fields, amounts as numbers or unknown choices', () => {
    const wrong = [
      // @ts-expect-error: a field that is no option
      { polcy: {} } satisfies GuardOptions,
      // @ts-expect-error: a field that is no rule
      { maxPerDay: '2.00' } satisfies PolicyInput,
      // @ts-expect-error: dollars are decimal strings
      { maxPerDayUsd: 2 } satisfies PolicyInput,
      // @ts-expect-error: dollars are decimal strings in nested rules too
      { onUnknown: { allowUpToUsd: 0.01 } } satisfies PolicyInput,
      // @ts-expect-error: ask, allow or block
      { onCaution: 'maybe' } satisfies PolicyInput,
      // @ts-expect-error: a safe verdict cannot be blocked
      { block: ['safe'] } satisfies PolicyInput,
      // @ts-expect-error: a map decides only where its client is given
      { service: { url: 'https://touchstone.example', mode: 'map' } } satisfies GuardOptions,
      // @ts-expect-error: only a map lacks endpoints
      { service: { url: 'https://touchstone.example', askUnknown: true } } satisfies GuardOptions,
      // @ts-expect-error: lists of addresses, not one
      { uptoFacilitators: '0x' } satisfies PolicyInput,
    ]
    expect(wrong).toHaveLength(9)
  })
})

test('error: refuses a guard together with options for one, also without types', () => {
  const { account } = createCountingAccount()
  const guard = createGuard({ service: { url: 'https://touchstone.example' } })
  const given = { account, guard, policy: {}, ledger: guard.ledger } as unknown as GuardedFetchOptions
  expect(() => createGuardedFetch(given)).toThrow('policy, ledger: given together with guard')
  expect(createGuardedFetch({ account, guard })).toBeTypeOf('function')
})
