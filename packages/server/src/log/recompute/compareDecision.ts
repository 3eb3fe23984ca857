import { canonicalJson, type Json } from '@touchstone402/shared/log'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { sayDecision } from '../../domain/publish/leaves.ts'
import { wellFormedJson } from '../../domain/publish/wellFormed.ts'
import type { LoggedDecision } from './readLoggedPast.ts'

/**
 * What a field of a decision turned out to be: `equal`, it follows from what is published; `possible`, what looks leave
 * out decides it, and the stated value is one that it allows; `different`, no reading gives the stated value.
 */
export type Finding = {
  readonly field: string
  readonly outcome: 'equal' | 'possible' | 'different'
  readonly stated: Json
  /** The values that the readings give, each once. */
  readonly recomputed: readonly Json[]
}

/** Fields of a decision that are compared whole; flags are compared one by one. */
const FIELDS = ['verdict', 'score', 'riskLevel', 'receiverStability', 'terms', 'resourceHosts'] as const

/** Compares a logged decision with what the readings of the published looks give. */
export function compareDecision(
  { leaf, opening }: Pick<LoggedDecision, 'leaf' | 'opening'>,
  states: readonly EndpointState[],
): Finding[] {
  const said = states.map(
    (state): Readonly<Record<string, Json | undefined>> => wellFormedJson(sayDecision(state)),
  )
  const stated: Readonly<Record<string, Json | undefined>> = { ...opening, ...leaf }
  const flagsOf = (decision: Readonly<Record<string, Json | undefined>>) =>
    Array.isArray(decision.flags) ? decision.flags.map(String) : []
  const flags = [...new Set([...said, stated].flatMap(flagsOf))].sort()
  return [
    ...FIELDS.map((field) =>
      judge(
        field,
        stated[field] ?? null,
        said.map((decision) => decision[field] ?? null),
      ),
    ),
    ...flags.map((flag) =>
      judge(
        `flags.${flag}`,
        flagsOf(stated).includes(flag),
        said.map((decision) => flagsOf(decision).includes(flag)),
      ),
    ),
  ]
}

function judge(field: string, stated: Json, values: readonly Json[]): Finding {
  const distinct = new Map(values.map((value) => [canonicalJson(value), value]))
  const recomputed = [...distinct.values()]
  const isAllowed = distinct.has(canonicalJson(stated)) || isBetween(stated, recomputed)
  const outcome = !isAllowed ? 'different' : recomputed.length === 1 ? 'equal' : 'possible'
  return { field, outcome, stated, recomputed }
}

/** Whether a score lies within those that the readings give, which are samples of many. */
function isBetween(stated: Json, values: readonly Json[]): boolean {
  const numbers = values.filter((value) => typeof value === 'number')
  return (
    typeof stated === 'number' &&
    numbers.length > 1 &&
    stated >= Math.min(...numbers) &&
    stated <= Math.max(...numbers)
  )
}
