import { asObject } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { type SchemeNetworkClient, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { CallCap } from '../decide/budget.ts'
import { type Field, optional } from '../decide/fields.ts'
import { findGuardError, isGuardError, misconfigured } from '../errors.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import type { FetchLike } from '../types.ts'
import { createGuard, type Guard, type GuardOptions } from './createGuard.ts'
import type { GuardedAccount } from './guardedAccount.ts'
import { ACCOUNT, ANY, checkOptions, FUNCTION, GUARD_FIELDS, having } from './guardOptions.ts'

/**
 * Options of {@link createGuardedFetch}.
 * @example
 * const options: GuardedFetchOptions = { account, policy: { maxPerPaymentUsd: '0.05' } }
 */
export type GuardedFetchOptions = GuardOrOptions & {
  /** Signs approved payments. */
  account: SigningAccount
  /** Sends requests to the endpoints. @default the global fetch */
  fetch?: FetchLike
}

/**
 * An existing guard, or the options for one, but not both.
 * @example
 * const given: GuardOrOptions = { guard: createGuard({ policy: { maxPerDayUsd: '2.00' } }) }
 */
export type GuardOrOptions =
  | (OwnOptions & { guard?: undefined })
  | ({ guard: Guard } & { [Name in keyof OwnOptions]?: undefined })

/** Options of a guard; the account is that of the guarded `fetch`. */
type OwnOptions = Omit<GuardOptions, 'account'>

/**
 * A `fetch` that pays, with an optional limit for one call.
 * @example
 * const buy = (pay: GuardedFetch) => pay('https://api.example.com/report', { maxUsd: '0.25' })
 */
export type GuardedFetch = (input: RequestInfo | URL, init?: RequestInit & CallCap) => Promise<Response>

/**
 * Creates a `fetch` that pays x402 endpoints of both protocol versions under guard. Its calls take `maxUsd`, the most
 * that this one may cost.
 * @throws ConfigurationError
 * @example
 * const pay = createGuardedFetch({ account, service: { url: 'https://touchstone.example' } })
 * const response = await pay('https://api.example.com/weather')
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  checkOptions(FIELDS, options)
  const { account, fetch = globalThis.fetch } = options
  const guard = readGuard(options)
  const signer = guard.account(account)
  const open = (cap: CallCap) => guard.fetch(fetch, { payer: account.address, ...cap })
  const uncapped = open({})
  return async (input, init) => {
    checkInit(init)
    const maxUsd = init?.maxUsd
    const inner = maxUsd === undefined ? uncapped : open({ maxUsd })
    // The library keeps the message of a signer's error and drops the error, so each call has a client that keeps it.
    let refusal: unknown
    const client = createClient(guard, {
      ...signer,
      signTypedData: (data) =>
        signer.signTypedData(data).catch((error: unknown) => {
          refusal = error
          throw error
        }),
    })
    const pay = wrapFetchWithPayment(inner as typeof globalThis.fetch, client)
    return pay(input, init).catch((error: unknown) => {
      const found = findGuardError(error)
      throw isGuardError(refusal) && refusal.message === found?.message ? refusal : (found ?? error)
    })
  }
}

function createClient({ policy }: Guard, signer: GuardedAccount): x402Client {
  const client = registerExactEvmScheme(new x402Client(), { signer })
  if (policy.uptoFacilitators.length > 0) client.register('eip155:*', createUptoScheme(signer))
  // The policy has the limits; the client's own limit would refuse without a useful reason.
  client.setSpendControls(false)
  // An idempotency key for sellers that ask for one; a payment that is sent again has the same.
  client.onBeforePaymentCreation(async ({ paymentRequired: { extensions } }) => {
    const info = asObject(asObject(extensions?.['payment-identifier'])?.info)
    if (info !== undefined) info.id = `pay_${crypto.randomUUID()}`
  })
  return client
}

/** The client's `upto` scheme, imported with its first payment: few policies list a facilitator. */
function createUptoScheme(signer: GuardedAccount): SchemeNetworkClient {
  return {
    scheme: 'upto',
    async createPaymentPayload(...asked) {
      const { UptoEvmScheme } = await import('@x402/evm/upto/client')
      return new UptoEvmScheme(signer).createPaymentPayload(...asked)
    },
  }
}

const FIELDS = {
  ...GUARD_FIELDS,
  account: ACCOUNT,
  guard: optional(having('a guard of createGuard', 'fetch', 'account')),
  fetch: optional(FUNCTION),
} satisfies Record<keyof GuardOptions | 'guard' | 'fetch', Field>

/** Refuses a misspelt limit. Other unknown fields may be meant for another `fetch`. @throws ConfigurationError */
function checkInit(init: object = {}): void {
  const wrong = Object.keys(init).filter((name) => name !== 'maxUsd' && name.toLowerCase() === 'maxusd')
  if (wrong.length > 0) checkOptions({ maxUsd: ANY }, { [String(wrong[0])]: null })
}

function readGuard(options: GuardedFetchOptions): Guard {
  if (options.guard === undefined) {
    const { fetch: _, guard: __, ...own } = options
    return createGuard(own)
  }
  const { account: _, fetch: __, guard, ...own } = options
  const extra = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (extra.length === 0) return guard
  const names = extra.join(', ')
  throw misconfigured(`${names}: given together with guard, which has its own; give them to createGuard`)
}
