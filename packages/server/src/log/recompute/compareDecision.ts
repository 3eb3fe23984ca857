import { canonicalJson, type Json } from '@touchstone402/shared/leaves'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { sayDecision } from '../../publish/leaves.ts'
import { wellFormedJson } from '../../publish/wellFormed.ts'
import type { LoggedDecision } from './readLoggedPast.ts'

/** A field of a decision, as it was logged and as it follows from what is published. */
export type Finding = {
  readonly field: string
  readonly isEqual: boolean
  /** Whether it rests on purchases that are not published yet, so that the stated value was used. @default false */
  readonly isStated?: true
  readonly stated: Json
  readonly recomputed: Json
}

type Said = Readonly<Record<string, Json | undefined>>

/** Fields of a decision that are compared whole; flags are compared one by one. */
const FIELDS = ['verdict', 'score', 'riskLevel', 'receiverStability', 'terms', 'resourceHosts'] as const

/**
 * Compares a logged decision with the state that follows from the published probes.
 * @param arePurchasesPublished whether all purchases are public that it can rest on
 */
export function compareDecision(
  { leaf, opening }: Pick<LoggedDecision, 'leaf' | 'opening'>,
  state: EndpointState,
  arePurchasesPublished = true,
): Finding[] {
  const recomputed: Said = wellFormedJson(sayDecision(state))
  const stated: Said = { ...opening, ...leaf }
  const flags = [...new Set([stated, recomputed].flatMap(flagsOf))].sort()
  const delivery = compare('delivery', stated.delivery ?? null, recomputed.delivery ?? null)
  return [
    ...FIELDS.map((field) => compare(field, stated[field] ?? null, recomputed[field] ?? null)),
    arePurchasesPublished ? delivery : { ...delivery, isStated: true },
    ...flags.map((flag) =>
      compare(`flags.${flag}`, flagsOf(stated).includes(flag), flagsOf(recomputed).includes(flag)),
    ),
  ]
}

const flagsOf = ({ flags }: Said) => (Array.isArray(flags) ? flags.map(String) : [])

const compare = (field: string, stated: Json, recomputed: Json): Finding => ({
  field,
  isEqual: canonicalJson(stated) === canonicalJson(recomputed),
  stated,
  recomputed,
})
