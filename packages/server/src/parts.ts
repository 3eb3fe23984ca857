/** The service's parts, for tests, benchmarks and those who compose them otherwise than `createApp` does. */

export type { TransferSource } from '@touchstone402/transfers'
export { createDirectory, type DirectorySource } from './adapters/directory/createDirectory.ts'
export { checkFacilitator, type FacilitatorCheck } from './adapters/payments/checkFacilitator.ts'
export { createPaywall, type PaywallOptions } from './adapters/payments/createPaywall.ts'
export {
  createFacilitator,
  type Facilitator,
  type FacilitatorOptions,
} from './adapters/payments/facilitator.ts'
export {
  type ReconcileOptions,
  type Reconciliation,
  reconcileClaims,
} from './adapters/payments/reconcileClaims.ts'
export { createProber, type ProberOptions } from './adapters/probe/createProber.ts'
export { createSnapshots, type SnapshotsOptions } from './adapters/snapshots/createSnapshots.ts'
export { type Copied, copyToPostgres } from './adapters/store/copyToPostgres.ts'
export { createLowdbStore, type LowdbStore } from './adapters/store/lowdb/createLowdbStore.ts'
export { createMemoryStore } from './adapters/store/memory/createMemoryStore.ts'
export { createCrawlQueue } from './adapters/store/postgres/createCrawlQueue.ts'
export {
  createPostgresStore,
  migrateDatabase,
  type PostgresStore,
} from './adapters/store/postgres/createPostgresStore.ts'
export { type RunningPostgres, startPostgres } from './adapters/store/testing/startPostgres.ts'
export { type Auditor, type AuditorDeps, createAuditor } from './audit/createAuditor.ts'
export type { ReceiverProfiler } from './audit/profileReceiver.ts'
export { type AnnouncementReader, createAnnouncementReader } from './audit/readAnnouncement.ts'
export { createOptOutReader, type OptOutReader } from './audit/readOptOut.ts'
export { type CrawlerDeps, createCrawler } from './crawl/createCrawler.ts'
export type { Listing, Observation, ReceiverRecord } from './domain/facts/facts.ts'
export type { EndpointState } from './domain/facts/hostDocument.ts'
export { rotationMessage } from './domain/judge/rotation.ts'
export { createDatasetAnswers, type DatasetAnswerDeps } from './http/answers/createDatasetAnswers.ts'
export { createTokenOperations, type TokenOperationDeps } from './http/answers/createTokenOperations.ts'
export { createHttpApp } from './http/createHttpApp.ts'
export type { Answers, HttpDeps, Page, PageAnswer, PageRequest } from './http/deps.ts'
export { ProblemError } from './http/problems.ts'
export { createSmallAnswers } from './http/testing/answers.ts'
export { createPackageSource, type PackageSourceOptions } from './mcp/createPackageSource.ts'
export { readMachineRegistry } from './mcp/readMachineRegistry.ts'
export type { Claim, ClaimKey, ClaimState, ClaimStore } from './ports/claims.ts'
export type { Clock } from './ports/clock.ts'
export type { CrawlQueue, CrawlTask } from './ports/crawlQueue.ts'
export type { Directory, ListedRow } from './ports/directory.ts'
export type { Paywall } from './ports/paywall.ts'
export type { ProbeResult, Prober, ProbeTarget } from './ports/prober.ts'
export type { Store } from './ports/store.ts'
export { createReadModel, type ReadModel } from './readModel/createReadModel.ts'
