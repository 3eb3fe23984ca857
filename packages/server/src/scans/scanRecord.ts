import type { Band, Flag, Reason, RiskLevel, VerdictCode } from '@touchstone402/shared'
import type { ScanFinding, Stack } from '@touchstone402/shared/scan'
import type { Time } from '../domain/facts/facts.ts'

/** One check of a scan. */
export type ScanCheck = Omit<ScanFinding, 'id' | 'severity'> & {
  /** A check of `@touchstone402/shared/scan`, or a flag. */
  readonly id: string
  readonly severity: Reason['severity']
  /** Ids of the looks that it rests on. */
  readonly evidence: readonly string[]
}

/** What a scan found. */
export type ScanResult = {
  readonly verdict: VerdictCode
  readonly score: number | null
  readonly band: Band | null
  readonly riskLevel: RiskLevel
  readonly overruledBy: readonly Flag[]
  readonly scoreVersion: string
  /** The method that was asked to pay; null if none was. */
  readonly method: string | null
  readonly stack: Stack
  /** Failed ones first, the most serious first. */
  readonly checks: readonly ScanCheck[]
}

/** Why a scan has no result. */
export type ScanFailure =
  /** The host declines probes. */
  | 'opted_out'
  /** The host has no public address, or a port that is not probed. */
  | 'not_public'
  /** The host name cannot be resolved. */
  | 'dns_failed'
  /** Nothing was measured because of a fault of ours. */
  | 'own_fault'
  /** The process ended first. */
  | 'interrupted'

/** A scan as it is kept. */
export type ScanRecord = {
  readonly id: string
  /** Canonical URL, without its query. */
  readonly endpoint: string
  readonly state: 'queued' | 'running' | 'done' | 'failed'
  readonly askedAt: Time
  readonly finishedAt: Time | null
  readonly result: ScanResult | null
  readonly failure: ScanFailure | null
}
