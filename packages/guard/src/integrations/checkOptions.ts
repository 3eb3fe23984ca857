import { count, type Field, type Fields, optional, ROOT, readField } from '../decide/fields.ts'
import { POLICY_FIELDS } from '../decide/policySchema.ts'
import { misconfigured } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { SERVICE_FIELDS } from '../verdicts/serviceOptions.ts'
import type { GuardOptions } from './guardOptions.ts'

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
  // Longer timers would end at once.
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
  // A text in place of the options may be a key, so it is not shown.
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
