import type { SignedDecision } from '@touchstone402/shared'

/** Signs decisions and publishes the keys they can be checked with. */
export type DecisionSigner = {
  /** Compact JWS, EdDSA, of the decision. */
  sign(decision: SignedDecision): Promise<string>
  /** The JSON Web Key Set: the present key, and former ones while what they signed is valid. */
  jwks(): { keys: Record<string, unknown>[] }
}
