import type { SignedDecision } from '@touchstone402/shared'
import type { NoteSigner } from '@touchstone402/transparency'

/** A JSON Web Key Set. */
export type KeySet = { keys: Record<string, unknown>[] }

/** Signs decisions and publishes the keys to verify them. */
export type DecisionSigner = {
  /** Returns the decision as a compact JWS (EdDSA). */
  sign(decision: SignedDecision): Promise<string>
  /** Returns the JSON Web Key Set: the current key, and former ones whose decisions have not expired. */
  jwks(): KeySet
}

/** Signs notes with the current key of the service. */
export type CurrentKey = {
  /** Returns the current key as a signer of notes under a name. */
  noteSigner(name: string): NoteSigner
}
