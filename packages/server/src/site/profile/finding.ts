import type { Reason, VerdictCode } from '@touchstone402/shared'
import type { Observation } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'

/** A reason of the endpoint that it is worst at. */
export type Finding = Reason & {
  readonly state: EndpointState
  readonly verdict: VerdictCode
  /** All endpoints with a reason of this code, in the order of the page. */
  readonly endpoints: readonly string[]
  /** The first probes that it cites. */
  readonly observations: readonly Observation[]
}
