/** Nothing can be written now: the disk is full or failing, the database is away, or the store was closed. Reads may still work. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'store_unavailable'

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
  }
}

/** A claim was asked to move where its present state does not lead, or there is no such claim. */
export class ClaimStateError extends Error {
  override readonly name = 'ClaimStateError'
  readonly code = 'claim_state'
}

/** The data folder or database cannot be used at all: another process owns it, or it cannot be made. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code = 'store_open'
}
