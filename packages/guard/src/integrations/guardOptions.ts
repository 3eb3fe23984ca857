import type { AskHandler } from '../decide/ask.ts'
import { count, type Field, type Fields, optional, ROOT, readField } from '../decide/fields.ts'
import { POLICY_FIELDS, type PolicyInput } from '../decide/policySchema.ts'
import { misconfigured } from '../errors.ts'
import type { EventListener } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RpcUrls } from '../ledger/reconcile.ts'
import type { SignatureVerifier } from '../paying/guardContext.ts'
import type { MppMethods, PaymentScheme } from '../paying/scheme.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import type { LogCheck } from '../types.ts'
import { SERVICE_FIELDS, type ServiceOptions } from '../verdicts/serviceOptions.ts'

/**
 * Options of `createGuard`.
 * @example
 * const options: GuardOptions = { service: { url: 'https://touchstone.example' }, policy: { maxPerDayUsd: '2.00' } }
 */
export type GuardOptions = {
  /**
   * The trust service. Without one the policy, the offer and the ledger decide.
   * @default { url: process.env.TOUCHSTONE_URL } if that is set
   */
  service?: ServiceOptions | undefined
  /** Spending rules; all defaults are safe. */
  policy?: PolicyInput
  /** Approves payments that the policy asks about; without it they are refused. */
  ask?: AskHandler
  /** Timeout of `ask` in ms; a timeout refuses. @default 60000 */
  askTimeoutMs?: number
  /** Pays for live checks; without it payments that need one are refused. */
  account?: SigningAccount
  /** Stores spending. @default a ledger in memory */
  ledger?: Ledger
  /** Receives every decision and settlement. Its errors are ignored. */
  onDecision?: EventListener
  /** RPC endpoints by CAIP-2 id, to resolve payments that expired without an answer. @default {} */
  rpcUrls?: RpcUrls
  /** Shows full URLs in errors and questions, in place of a hash of the query. @default false */
  keepUrls?: boolean
  /**
   * Keeps calling a host after one of its answers named a payment by this wallet that the guard did not see.
   * @default false
   */
  allowUnseen?: boolean
  /** Verifies signatures of contract wallets; without it they are refused. */
  verifySignature?: SignatureVerifier
  /** `createUpto()` of `@touchstone402/guard/upto`, needed if the policy lists `uptoFacilitators`. */
  upto?: PaymentScheme
  /** `createMpp()` of `@touchstone402/guard/mpp`, which pays MPP by the methods evm and tempo. */
  mpp?: MppMethods
  /**
   * Refuses signing keys that no witnessed checkpoint of the log covers: `createLogCheck` of `@touchstone402/guard/log`.
   * @default keys are trusted without the log
   */
  log?: LogCheck
  /** Returns Unix time in ms. @default Date.now */
  now?: () => number
  /** Resolves after a time in ms, before a payment whose settlement is pending is sent again. @default by setTimeout */
  wait?: (ms: number) => Promise<unknown>
}

export const ANY: Field = { kind: 'any' }
export const FUNCTION: Field = { kind: 'function' }
export const having = (expected: string, ...methods: string[]): Field => ({
  kind: 'having',
  methods,
  expected,
})

export const ACCOUNT: Field = {
  kind: 'having',
  methods: ['signTypedData'],
  hasAddress: true,
  expected: 'an account such as privateKeyToAccount(key) of viem/accounts',
}

// A promise or a path has neither; a ledger of another kind is its maker's to check.
const LEDGER_METHODS = ['reserve', 'findPending'] satisfies (keyof Ledger)[]

/** The options of a guard. Policy and service have their own checks. */
export const GUARD_FIELDS = {
  service: ANY,
  policy: ANY,
  ask: optional(FUNCTION),
  // Longer timers fire at once.
  askTimeoutMs: optional(count(0, 2_147_483_647)),
  account: optional(ACCOUNT),
  ledger: optional(having('a ledger, such as await createFileLedger(path)', ...LEDGER_METHODS)),
  onDecision: optional(FUNCTION),
  rpcUrls: optional(having('an object of RPC URLs by CAIP-2 id')),
  keepUrls: optional({ kind: 'flag' }),
  allowUnseen: optional({ kind: 'flag' }),
  verifySignature: optional(FUNCTION),
  upto: optional(having('createUpto() of @touchstone402/guard/upto', 'fits')),
  mpp: optional(having('createMpp() of @touchstone402/guard/mpp', 'addOffers')),
  log: optional(having('a log check of createLogCheck', 'verifyKey', 'verifyMap')),
  now: optional(FUNCTION),
  wait: optional(FUNCTION),
} satisfies Record<keyof GuardOptions, Field>

/**
 * Refuses unknown and invalid options: a limit under a wrong name would limit nothing.
 * @throws ConfigurationError naming each of them
 */
export function checkOptions(fields: Fields, options: unknown = {}): void {
  const problems: string[] = []
  // A string in place of the options may be a key, so it is not shown.
  if (Object(options) !== options) problems.push('options: expected an object')
  else
    readField({ kind: 'object', fields }, options, ROOT, (name, problem) => {
      const isOption = Object.hasOwn(fields, name)
      const owner = OWNERS.find(([, own]) => !isOption && Object.hasOwn(own, name))?.[0]
      problems.push(`${name}: ${owner === undefined ? problem : `belongs into ${owner}`}`)
    })
  if (problems.length > 0) throw misconfigured(problems.join('; '))
}

const OWNERS: [string, Fields][] = [
  ['policy', POLICY_FIELDS.fields],
  ['service', SERVICE_FIELDS.fields],
]
