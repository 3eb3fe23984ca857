export type { AskHandler, Question } from './decide/ask.ts'
export type { BudgetLimits, LedgerView } from './decide/budget.ts'
export { explainPolicy } from './decide/explainPolicy.ts'
export { type Decision, type DecisionInput, decide } from './decide/policy.ts'
export { parsePolicy } from './decide/policySchema.ts'
export type { Policy, PolicyAsset, PolicyInput } from './decide/policyTypes.ts'
export type { Candidate } from './decide/screen.ts'
export {
  BudgetExceededError,
  ConfigurationError,
  GuardError,
  isGuardError,
  OfferMismatchError,
  PaymentBlockedError,
  VerdictUnavailableError,
} from './errors.ts'
export type { EventListener, GuardEvent } from './events.ts'
export type {
  Ledger,
  LedgerEntry,
  LedgerUpdate,
  ReserveRequest,
  ReserveResult,
  ViewQuery,
} from './ledger/ledger.ts'
export { createMemoryLedger } from './ledger/memoryLedger.ts'
export { type Replay, replayPolicy } from './ledger/replayPolicy.ts'
export type { ApprovedResponse, ChallengedResponse } from './paying/approveResponse.ts'
export type { SignatureVerifier } from './paying/guardContext.ts'
export type { SigningAccount } from './paying/signingAccount.ts'
export { type BlockCode, type BudgetCode, type OfferCode, REASONS, type ReasonCode } from './reasons.ts'
export type { GuardCounters } from './seats/counters.ts'
export {
  createGuard,
  type Guard,
  type GuardOptions,
  guardFetch,
  type ServiceOptions,
} from './seats/createGuard.ts'
export type { GuardedAccount } from './seats/guardedAccount.ts'
export type { HookedClient } from './seats/hooks.ts'
export type { CheckedTerm, CheckedVerdict, FetchLike, PaymentIntent, VerdictState } from './types.ts'
