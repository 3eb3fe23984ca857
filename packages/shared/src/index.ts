export { splitAuthenticate } from './authenticate.ts'
export { asObject, decodeBase64Json, encodeBase64Json, isRecord } from './base64Json.ts'
export { BURN_ADDRESSES, isBurnAddress } from './burnAddresses.ts'
export {
  type CanonicalUrl,
  canonicalizeUrl,
  InvalidUrlError,
  isTemplate,
  matchesTemplate,
} from './canonicalUrl.ts'
export {
  FREE_OPERATIONS,
  type FreeOperationId,
  INTERFACE_VERSION,
  OPERATIONS,
  type Operation,
  type OperationId,
  PAID_OPERATIONS,
  type PaidOperationId,
  SNAPSHOT_OPERATIONS,
  type SnapshotOperationId,
} from './contract.ts'
export { TRANSFER_WITH_AUTHORIZATION } from './eip3009.ts'
export { decodeCursor, encodeCursor, type FeedPosition, MAX_CURSOR_LENGTH } from './feedCursor.ts'
export {
  atomicToUsd,
  findKnownNetwork,
  findNetworkByName,
  findUsdc,
  isCanonicalUsdc,
  isOfficialAsset,
  type KnownNetwork,
} from './knownNetworks.ts'
export {
  ATOMIC_PATTERN,
  formatUnits,
  formatUsdc,
  MoneyError,
  parseAtomic,
  parseUnits,
  USDC_DECIMALS,
  usdToAtomic,
} from './money.ts'
export { nearestName } from './nearestName.ts'
export {
  ADDRESS_PATTERN,
  BASE,
  BASE_USDC,
  findNetwork,
  NETWORKS,
  type Network,
  networkAddressKey,
  sameAddress,
  toCaip2,
} from './networks.ts'
export { type OtherOffer, readOtherOffers, writeChallenge } from './otherOffers.ts'
export { parseJson } from './parseJson.ts'
export { UNPAYABLE, type Unpayable, whyUnpayable } from './payable.ts'
export { findProtocolConflict } from './protocolConflict.ts'
export { findUnpublished } from './publishedForms.ts'
export { type ParsedQuery, parseQuery, type QueryError, type QueryOf, type QueryParameter } from './query.ts'
export { quoteSymbol } from './quoteSymbol.ts'
export { ESTABLISHED_PAYERS, ESTABLISHED_RECEIPTS, type ReceiverCategory } from './receiver.ts'
export { compareResource, isLoopback, isSecureUrl, originOf, type ResourceFit } from './resource.ts'
export { isSameSite, siteOf, siteOfHost } from './sameSite.ts'
export type { DataFull, DataSample } from './schemas/dataFull.ts'
export type * from './schemas/dataset.ts'
export { DatasetRecordSchema } from './schemas/dataset.ts'
export type * from './schemas/ecosystem.ts'
export { EcosystemSchema } from './schemas/ecosystem.ts'
export type * from './schemas/feeds.ts'
export { CHANGE_KINDS, INCIDENT_KINDS, IncidentSchema } from './schemas/feeds.ts'
export { AddressSchema, named, SCHEMA_NAMES } from './schemas/fields.ts'
export {
  DisputeSchema,
  HostClaimSchema,
  LogEntrySchema,
  OwnerSchema,
  RemovedWebhookSchema,
  RotationSchema,
  ScanSchema,
  WebhookSchema,
} from './schemas/forms.ts'
export {
  type McpDriftFeed,
  type McpReport,
  type McpServer,
  McpServerSchema,
  type McpVerification,
  McpVerificationSchema,
} from './schemas/mcp.ts'
export { IncidentEvidenceSchema, type PublishedLook, PublishedLookSchema } from './schemas/observation.ts'
export { PaymentRequiredSchema, type Problem, ProblemSchema } from './schemas/problem.ts'
export { type EndpointRow, type Profile, ProfileSchema } from './schemas/profile.ts'
export type { ReceiverFacts } from './schemas/receiver.ts'
export type { Report, ReportDay, ReportFeed } from './schemas/reports.ts'
export { type ScoreSpec, ScoreSpecSchema } from './schemas/scoreSpec.ts'
export { type SignedDecision, SignedDecisionSchema } from './schemas/signedDecision.ts'
export type * from './schemas/token.ts'
export { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from './schemas/token.ts'
export type * from './schemas/tokenAnswer.ts'
export { TOKEN_WARNINGS, WINDOWS } from './schemas/tokenAnswer.ts'
export type * from './schemas/trust.ts'
export {
  type Band,
  type Flag,
  type Reason,
  type ReceiverProfile,
  type ReceiverStability,
  type RiskLevel,
  type Status,
  type Term,
  type Verdict,
  type VerdictCode,
  VerdictSchema,
} from './schemas/verdict.ts'
export { type DomainFault, findDomainFault } from './signingDomain.ts'
export {
  BANDS,
  DECISION_TYPE,
  FLAGS,
  RISK_LEVELS,
  STATUSES,
  VERDICT_LABELS,
  VERDICTS,
} from './verdictCodes.ts'
export {
  type Challenge,
  type ChallengeProblem,
  type ChallengeProblemCode,
  type Disagreement,
  decodeChallenge,
  type Offer,
  X402_HEADERS,
} from './x402.ts'
