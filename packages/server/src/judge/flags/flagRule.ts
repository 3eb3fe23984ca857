import type { ReceiverRecord } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import type { Evidence } from '../evidence.ts'

/** Rule of one flag, with its texts for `/methodology`. */
export type FlagRule = {
  readonly meaning: string
  /** Advice to the seller that clears it. */
  readonly fix: string
  /** The facts that raise it: one list for each finding; none if it is not raised. */
  readonly raise: (evidence: Evidence) => readonly Grounds[]
  /**
   * Says why it is raised in the measured values of the endpoint, and when it clears.
   * @param ids of the facts that raised it
   * @default the meaning, and that it clears at the next probe that does not show it
   */
  readonly describe?: (evidence: Evidence, ids: readonly string[]) => string
  /** Whether it has several findings, which their first fact distinguishes. @default false */
  readonly isPerFinding?: boolean
  /** Precondition of a check that tests it. @default an answer with payment terms */
  readonly needs?: Need
}

/** Facts that raise a flag. */
export type Grounds = readonly { readonly id: string }[]

/** Inputs of a check besides the state of the endpoint. */
export type CheckFacts = {
  /** Whether it was probed before this check. */
  readonly hasPast: boolean
  /** Number of test purchases. */
  readonly purchases: number
  /** Newest chain record of the receiver. */
  readonly receiver: ReceiverRecord | undefined
}

/** Precondition of a check, and why it is not tested otherwise, as a clause that follows "because". */
export type Need = {
  readonly isThere: (state: EndpointState, facts: CheckFacts) => boolean
  readonly lacks: string
}

/** The need of rules that compare with earlier probes. */
export const PAST: Need = { isThere: (_, { hasPast }) => hasPast, lacks: 'this is its first probe' }
