import type { Band, Flag, Reason, RiskLevel, Term, VerdictCode } from '@touchstone402/shared'
import type { ScanFinding, Stack, ValueToChange } from '@touchstone402/shared/scan'
import type { Time } from '../facts/facts.ts'

/** One thing that was checked. */
export type CheckFinding = Omit<ScanFinding, 'id' | 'severity' | 'title'> & {
  /** A check of `@touchstone402/shared/scan`, or a flag. */
  readonly id: string
  readonly severity: Reason['severity']
  /** Empty for a flag, which has one name everywhere. */
  readonly title: string
  /** Ids of the observations that it rests on. */
  readonly evidence: readonly string[]
  /** The failing value, and the expected one. */
  readonly change?: ValueToChange
}

/** An offer that an endpoint made, with its price in dollars if that is known. */
export type CheckedOffer = Omit<Term, 'amountAtomicMin' | 'amountAtomicMax'> & {
  readonly amountAtomic: string
  readonly priceUsd: number | null
}

/** A 402 as it was received. */
export type RawChallenge = {
  readonly method: string
  /** The header PAYMENT-REQUIRED, decoded if it can be; null without one. */
  readonly header: string | null
  readonly body: string | null
  /** Whether either was longer than is kept. */
  readonly isCut: boolean
}

/** Result of checking one endpoint. */
export type CheckResult = {
  readonly verdict: VerdictCode
  readonly score: number | null
  readonly band: Band | null
  readonly riskLevel: RiskLevel
  readonly overruledBy: readonly Flag[]
  readonly scoreVersion: string
  /** The method that was asked to pay; null if none was. */
  readonly method: string | null
  readonly terms: readonly CheckedOffer[]
  /** Description of the product, as the endpoint states it. */
  readonly sells: string | null
  readonly challenge: RawChallenge | null
  readonly stack: Stack
  /** Failed ones first, the most serious first. */
  readonly checks: readonly CheckFinding[]
}

/** Why a check has no result. */
export const FAILURES = {
  opted_out: 'The host declines probes, so nothing was asked.',
  not_public: 'The host has no public address, or a port other than 80 and 443, so nothing was asked.',
  dns_failed: 'The host name cannot be resolved. Check the spelling.',
  own_fault: 'Nothing could be measured because of a fault on our side. Please re-check.',
  interrupted: 'The check was interrupted. Please re-check.',
} as const

/** Whether a checked endpoint is in the index, and if not, why. */
export const PUBLICATIONS = {
  listed: 'It was in the index before this check.',
  published: 'It is in the index now, and this check is its first probe.',
  not_asked: 'Unlisted: this page is the only record of this check.',
  no_terms: 'Not published: it gave no valid payment terms.',
  not_named:
    'Not published: neither the documents of its host nor a directory names this path. Name it in /.well-known/x402 or /openapi.json of the host and re-check, or claim the host.',
  documents_unread: 'Not published: we could not read the documents of its host.',
} as const

/** A check as it is kept: of one endpoint, or of the listed endpoints of a host. */
export type CheckRecord = {
  readonly id: string
  readonly host: string
  /** Canonical URL, without its query; null for a host. */
  readonly endpoint: string | null
  /** The endpoints of a host that are probed. @default none, for one endpoint */
  readonly endpoints?: readonly string[]
  readonly state: 'queued' | 'running' | 'done' | 'failed'
  readonly askedAt: Time
  readonly finishedAt: Time | null
  readonly result: CheckResult | null
  readonly failure: keyof typeof FAILURES | null
  readonly publication: keyof typeof PUBLICATIONS | null
  /** Id of the earlier check that its page is compared with. */
  readonly previous: string | null
}

/** Who asks for a check, and of what: of one endpoint, or of the listed endpoints of a host. */
export type CheckRequest = Pick<CheckRecord, 'host' | 'endpoint'> & {
  /** An IPv4 address or an IPv6 /64. */
  readonly client: string
  /** Whether the request proved a claim of the host. @default false */
  readonly isOwner?: boolean
  /**
   * Asks to put an endpoint into the index if it gives valid payment terms and its host names it; the word of the owner
   * is enough. @default false, and nothing is recorded
   */
  readonly isToPublish?: boolean
  /** Id of an earlier check of the same endpoint to compare with. @default none */
  readonly previous?: string | null
}

/** Whether a check has ended. */
export const isOver = ({ state }: CheckRecord): boolean => state === 'done' || state === 'failed'

/** Whether the endpoint of a check is in the index. */
export const isPublished = ({ publication }: CheckRecord): boolean =>
  publication === 'listed' || publication === 'published'
