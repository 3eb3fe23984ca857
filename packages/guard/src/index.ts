export type { AskHandler, Question } from './decide/ask.ts'
export type { LedgerView } from './decide/budget.ts'
export type { CallCap } from './decide/caps.ts'
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
export { findGuardError } from './findGuardError.ts'
export type { GuardBudget } from './integrations/budget.ts'
export type { GuardControls } from './integrations/controls.ts'
export type { GuardCounters } from './integrations/counters.ts'
export {
  createGuard,
  type Guard,
  type GuardOptions,
  type ServiceOptions,
} from './integrations/createGuard.ts'
export type { GuardedAccount } from './integrations/guardedAccount.ts'
export type { BudgetLine } from './ledger/budgetLine.ts'
export type { CallQuery, Ledger, LedgerEntry, OnceKey, Pin, StoredPayment, Strikes } from './ledger/ledger.ts'
export { createMemoryLedger } from './ledger/memoryLedger.ts'
export type { ApprovedResponse, ChallengedResponse } from './paying/approveResponse.ts'
export type { SignatureVerifier } from './paying/guardContext.ts'
export type { PaidResponse } from './paying/reportAnswer.ts'
export { CALL_KEY_HEADER } from './paying/request.ts'
export type { SigningAccount } from './paying/signatures/signingAccount.ts'
export { paymentOf, type ResponsePayment } from './paymentOf.ts'
export { REASONS, type ReasonCode } from './reasons.ts'
export { REMEDIES } from './remedies.ts'
export type {
  CheckedVerdict,
  FetchLike,
  LogCheck,
  OfferProof,
  PaymentIntent,
  PaymentReceipt,
  VerdictState,
} from './types.ts'
export type { VerdictMap } from './verdicts/mapVerdicts.ts'
