import type { AskHandler } from '../decide/ask.ts'
import type { PolicyInput } from '../decide/policyTypes.ts'
import type { EventListener } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SignatureVerifier } from '../paying/guardContext.ts'
import type { MppMethods, PaymentScheme } from '../paying/scheme.ts'
import type { SigningAccount } from '../paying/signatures/signingAccount.ts'
import type { LogCheck } from '../types.ts'
import type { ServiceOptions } from '../verdicts/serviceOptions.ts'

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
  rpcUrls?: Readonly<Record<string, string>>
  /** Shows full URLs in errors and questions, in place of a hash of the query. @default false */
  keepUrls?: boolean
  /**
   * Goes on calling a host after an answer of it has named a payment by this wallet that the guard did not see.
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
