import type { Time } from '../domain/facts/facts.ts'
import type { ClaimMethod } from './claimTexts.ts'

/** An objection by whoever claimed a host, as it is stored. Its texts are one clean line each. */
export type Dispute = {
  /** `HOST/…`. */
  readonly id: string
  readonly host: string
  /** The endpoint that it is about; null for an incident. */
  readonly endpoint: string | null
  /** Id of the incident that it is about; null for an endpoint. */
  readonly incident: string | null
  readonly text: string
  /** How the host was claimed. */
  readonly method: ClaimMethod
  readonly at: Time
  readonly state: 'waiting' | 'published' | 'rejected'
  /** Answer of the service; null before it is published. */
  readonly answer: string | null
  /** When it was published or rejected; null before. */
  readonly decidedAt: Time | null
}
