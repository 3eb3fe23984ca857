export type { AskHandler, PriceBefore, Question } from './decide/ask.ts'
export type { CallCap, LedgerView, PaidPrice } from './decide/budget.ts'
export { type Decision, decide } from './decide/policy.ts'
export { type HostLimits, type Policy, type PolicyInput, parsePolicy } from './decide/policySchema.ts'
export {
  BudgetExceededError,
  ConfigurationError,
  findGuardError,
  GuardError,
  isGuardError,
  OfferMismatchError,
  PaymentBlockedError,
  type RefusalFacts,
  VerdictUnavailableError,
} from './errors.ts'
export type { GuardEvent } from './events.ts'
export type { GuardControls, GuardCounters } from './integrations/controls.ts'
export {
  createGuard,
  type Guard,
  type GuardOptions,
  type ServiceOptions,
} from './integrations/createGuard.ts'
export type { GuardedAccount } from './integrations/guardedAccount.ts'
export type { GuardBudget } from './integrations/readBudget.ts'
export type { BudgetLine } from './ledger/budgetLine.ts'
export { createMemoryLedger } from './ledger/journal.ts'
export type {
  CallQuery,
  Ledger,
  OnceKey,
  Payment,
  Payment as LedgerEntry,
  Pin,
  StoredPayment,
  Strikes,
} from './ledger/ledger.ts'
export { CALL_KEY_HEADER } from './paying/calls/request.ts'
export type { SignatureVerifier } from './paying/guardContext.ts'
export type { ApprovedResponse, ChallengedResponse, PaidResponse } from './paying/ownTransport.ts'
export type { SigningAccount } from './paying/signatures/typedData.ts'
export { paymentOf, type ResponsePayment } from './paymentOf.ts'
export { REASONS, REMEDIES, type ReasonCode } from './reasons.ts'
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
