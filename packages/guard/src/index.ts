export type { AskHandler, Question } from './decide/ask.ts'
export type { LedgerView } from './decide/budget.ts'
export type { CallCap } from './decide/caps.ts'
export { explainPolicy } from './decide/explainPolicy.ts'
export { type Decision, decide } from './decide/policy.ts'
export { parsePolicy } from './decide/policySchema.ts'
export type { Policy, PolicyInput } from './decide/policyTypes.ts'
export {
  BudgetExceededError,
  ConfigurationError,
  GuardError,
  isGuardError,
  OfferMismatchError,
  PaymentBlockedError,
  type RefusalFacts,
  VerdictUnavailableError,
} from './errors.ts'
export type { GuardEvent } from './events.ts'
export type { CallQuery, Ledger, LedgerEntry, OnceKey, Pin, StoredPayment, Strikes } from './ledger/ledger.ts'
export { createMemoryLedger } from './ledger/memoryLedger.ts'
export { type Replay, replayPolicy } from './ledger/replayPolicy.ts'
export type { ApprovedResponse, ChallengedResponse } from './paying/approveResponse.ts'
export type { SignatureVerifier } from './paying/guardContext.ts'
export { CALL_KEY_HEADER } from './paying/request.ts'
export type { SigningAccount } from './paying/signingAccount.ts'
export { REASONS, type ReasonCode } from './reasons.ts'
export { REMEDIES } from './remedies.ts'
export type { BudgetLine, GuardBudget } from './seats/budget.ts'
export type { GuardControls } from './seats/controls.ts'
export type { GuardCounters } from './seats/counters.ts'
export {
  createGuard,
  type Guard,
  type GuardOptions,
  guardFetch,
  type ServiceOptions,
} from './seats/createGuard.ts'
export type { GuardedAccount } from './seats/guardedAccount.ts'
export type { CheckedVerdict, FetchLike, PaymentIntent, VerdictState } from './types.ts'
