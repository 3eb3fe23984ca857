import type { VerdictState } from '@touchstone402/guard'
import { canonicalJson, type Json } from '@touchstone402/shared/leaves'
import { wellFormedJson } from '../../publish/wellFormed.ts'
import type { RecomputedLog } from './recomputeLogged.ts'

/**
 * How the signed answer of `/verify` relates to a logged decision: `equal`, `different`, `later` if it rests on probes
 * that are not published yet or has expired, or `unread`.
 */
export type VerifyFinding = {
  readonly outcome: 'equal' | 'different' | 'later' | 'unread'
  readonly detail: string
}

const FIELDS = [
  'verdict',
  'score',
  'riskLevel',
  'flags',
  'receiverStability',
  'delivery',
  'scoreVersion',
  'terms',
  'resourceHosts',
] as const

/** Compares a signed answer, whose signature the guard has checked, with a logged decision. */
export function compareVerify(
  state: VerdictState,
  { decision: { index, leaf, opening }, isNewest }: Pick<RecomputedLog, 'decision' | 'isNewest'>,
): VerifyFinding {
  if (state.state === 'unavailable') return { outcome: 'unread', detail: state.detail }
  if (!isNewest) return { outcome: 'later', detail: 'it says what a later leaf says' }
  const signed: Readonly<Record<string, Json | undefined>> = wellFormedJson({ ...state.verdict })
  if (signed.verdict === 'unknown' && leaf.verdict !== 'unknown')
    return { outcome: 'later', detail: 'no probe has confirmed the verdict lately' }
  const logged: Readonly<Record<string, Json | undefined>> = { ...opening, ...leaf }
  const other = FIELDS.filter(
    (field) => canonicalJson(signed[field] ?? null) !== canonicalJson(logged[field] ?? null),
  )
  return other.length === 0
    ? { outcome: 'equal', detail: `it says what leaf ${index} says` }
    : {
        outcome: 'different',
        detail: `${other.join(', ')} differ from leaf ${index}, the newest of the endpoint`,
      }
}
