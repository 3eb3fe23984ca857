import type { SignedDecision } from '@touchstone402/shared'

/** Signs decisions and publishes the keys to verify them. */
export type DecisionSigner = {
  /** Returns the decision as a compact JWS (EdDSA). */
  sign(decision: SignedDecision): Promise<string>
  /** Returns the JSON Web Key Set: the current key, and former ones whose decisions have not expired. */
  jwks(): { keys: Record<string, unknown>[] }
}
