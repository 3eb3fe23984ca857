import { FLAG_RECORDS, FLAGS, type Flag, type Reason } from '@touchstone402/shared'
import type { Evidence } from './evidence.ts'
import type { FlagRule } from './flags/flagRule.ts'
import { OFFERS } from './flags/offers.ts'
import { PRICES, VARYING_PRICES } from './flags/prices.ts'
import { PROOFS } from './flags/proofs.ts'
import { RECEIVERS } from './flags/receivers.ts'
import { SPEED, UPTIME } from './flags/service.ts'
import { TERMS } from './flags/terms.ts'
import { AT_NEXT } from './flags/words.ts'

/** The rule of each flag, in the order of published reasons. Its risk and shared texts are in `FLAG_RECORDS`. */
export const FLAG_RULES: Readonly<Record<Flag, FlagRule>> = {
  ...TERMS,
  ...OFFERS,
  ...SPEED,
  ...VARYING_PRICES,
  ...RECEIVERS,
  ...PRICES,
  ...UPTIME,
  ...PROOFS,
}

/** A flag, and the ids of the facts that raised it. */
export type RaisedFlag = { readonly flag: Flag; readonly evidence: readonly string[] }

/** Raises every flag that the evidence supports. */
export function raiseFlags(evidence: Evidence): RaisedFlag[] {
  return (Object.keys(FLAG_RULES) as Flag[]).flatMap((flag) =>
    FLAG_RULES[flag].raise(evidence).map((found) => ({ flag, evidence: found.map(({ id }) => id) })),
  )
}

/** Describes why a flag is raised in the measured values of the endpoint, and when it clears. */
export function describeFlag({ flag, evidence: ids }: RaisedFlag, evidence: Evidence): string {
  const { describe, meaning } = FLAG_RULES[flag]
  return describe?.(evidence, ids) ?? `${meaning} ${AT_NEXT}`
}

const SEVERITY = { low: 'info', medium: 'warn', high: 'critical' } as const

/** Returns the severity of a flag. */
export function severityOf(flag: Flag): Reason['severity'] {
  return SEVERITY[FLAG_RECORDS[flag].risk]
}

/** Flags as `/trust-score.json` publishes them, lowest risk first. */
export const PUBLISHED_FLAGS = FLAGS.map((id) => ({
  id,
  risk: FLAG_RECORDS[id].risk,
  meaning: FLAG_RULES[id].meaning,
  fix: FLAG_RULES[id].fix,
}))
