export type { ApprovedResponse, ChallengedResponse } from './approveResponse.ts'
export type { AskHandler, Question } from './ask.ts'
export type { BudgetLimits, LedgerView } from './budget.ts'
export type { GuardCounters } from './counters.ts'
export { createGuard, type Guard, type GuardOptions, guardFetch, type ServiceOptions } from './createGuard.ts'
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
export { explainPolicy } from './explainPolicy.ts'
export type { SignatureVerifier } from './guardContext.ts'
export type { GuardedAccount, SigningAccount } from './guardedAccount.ts'
export type { HookedClient } from './hooks.ts'
export type { Ledger, LedgerEntry, LedgerUpdate, ReserveRequest, ReserveResult, ViewQuery } from './ledger.ts'
export { createMemoryLedger } from './memoryLedger.ts'
export { type Decision, type DecisionInput, decide } from './policy.ts'
export { parsePolicy } from './policySchema.ts'
export type { Policy, PolicyAsset, PolicyInput } from './policyTypes.ts'
export { type BlockCode, type BudgetCode, type OfferCode, REASONS, type ReasonCode } from './reasons.ts'
export { type Replay, replayPolicy } from './replayPolicy.ts'
export type { Candidate } from './screen.ts'
export type { CheckedTerm, CheckedVerdict, FetchLike, PaymentIntent, VerdictState } from './types.ts'
