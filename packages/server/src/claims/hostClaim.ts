import type { Time } from '../domain/facts/facts.ts'
import type { ClaimMethod } from './claimTexts.ts'

/** A proven claim of a host, or of a receiver's endpoints there, as it is stored. */
export type HostClaim = {
  readonly host: string
  readonly method: ClaimMethod
  /** The published or signed token. */
  readonly token: string
  /** The receiver that signed, in lower case: the claim covers its endpoints alone. Null for other methods. */
  readonly address: string | null
  /** When it was first proven. */
  readonly since: Time
  readonly checkedAt: Time
  /** When a check last passed. */
  readonly heldAt: Time
  /** Daily checks that failed since the last that did not. */
  readonly failures: number
}

/** What somebody sends to claim a host. */
export type ClaimRequest = {
  readonly host: string
  readonly method: ClaimMethod
  readonly secret: string
  /** Of a signature. */
  readonly address: string
  readonly date: string
  readonly signature: string
}

/** What is wrong with a field of a claim. */
export type ClaimFault = {
  readonly parameter: keyof ClaimRequest
  readonly code: string
  readonly message: string
  /** Whether our network or resolver may be at fault. @default false */
  readonly isOurs?: boolean
}
