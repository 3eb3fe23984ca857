import texts from './checks.json' with { type: 'json' }

/** Severities by weight: `critical` keeps agents from paying or loses money. */
const SEVERITIES = ['critical', 'warn', 'info'] as const

/** How much a failed check matters. */
export type ScanSeverity = (typeof SEVERITIES)[number]

/** A check of an endpoint's terms that needs no chain and no history. */
export type ScanCheckText = {
  readonly severity: ScanSeverity
  /** Headline where it passed. */
  readonly passed: string
  /** Headline where it failed. */
  readonly failed: string
  /** Fix, independent of the stack. */
  readonly fix: string
}

/** Id of a check. Those that the service raises as a flag too have the name of the flag. */
export type ScanCheckId = { [S in ScanSeverity]: keyof (typeof texts)[S] }[ScanSeverity]

/** All checks, the most serious first. */
export const SCAN_CHECKS = Object.fromEntries(
  SEVERITIES.flatMap((severity) =>
    Object.entries(texts[severity]).map(([id, text]) => [id, { severity, ...text }]),
  ),
) as Readonly<Record<ScanCheckId, ScanCheckText>>

/** Ids of all checks, the most serious first. */
export const SCAN_CHECK_IDS = Object.keys(SCAN_CHECKS) as readonly ScanCheckId[]

/** Whether a text is the id of a check. */
export function isScanCheck(id: string): id is ScanCheckId {
  return Object.hasOwn(SCAN_CHECKS, id)
}

/** Result of one check. Holds no free text of the seller. */
export type ScanResult = {
  readonly id: ScanCheckId
  /** `unknown` where nothing could be checked. */
  readonly outcome: 'pass' | 'fail' | 'unknown'
  readonly severity: ScanSeverity
  /** The headline of the outcome. */
  readonly title: string
  /** Measurement in one sentence, or why nothing was checked; empty if the headline states it. */
  readonly detail: string
}
