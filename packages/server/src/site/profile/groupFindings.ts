import type { Reason } from '@touchstone402/shared'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'

/** Number of records that a page shows as the evidence of a finding. */
export const SHOWN_EVIDENCE = 4

/** A reason with everything that supports it, at any endpoint. */
export type Finding = Omit<Reason, 'evidence'> & {
  readonly evidence: readonly Evidence[]
  readonly endpoints: readonly string[]
}

/** A record, and the endpoint it is about. */
export type Evidence = { readonly id: string; readonly endpoint: string }

const WORST_FIRST: readonly Reason['severity'][] = ['critical', 'warn', 'info']

/** Groups the reasons of endpoints by their code, worst first. */
export function groupFindings(states: readonly EndpointState[]): Finding[] {
  const groups = new Map<string, Finding & { evidence: Evidence[]; endpoints: string[] }>()
  for (const { endpoint, reasons } of states) {
    for (const { code, severity, message, evidence } of reasons) {
      const known = groups.get(code) ?? { code, severity, message, evidence: [], endpoints: [] }
      groups.set(code, known)
      for (const id of evidence) known.evidence.push({ id, endpoint })
      known.endpoints.push(endpoint)
    }
  }
  return [...groups.values()].sort(
    (a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity),
  )
}
