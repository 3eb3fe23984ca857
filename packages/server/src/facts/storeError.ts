/** The store cannot write: the disk or database fails, or the store is closed. Reads may still work. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'store_unavailable'
}

/** The claim does not exist, or its state does not allow the transition. */
export class ClaimStateError extends Error {
  override readonly name = 'ClaimStateError'
  readonly code = 'claim_state'
}

/** The data folder or database cannot be used: another process owns it, or it cannot be created. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code = 'store_open'
}

/** The lease under which something was found is lost: another process may work on the host. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'lease_lost'
}

/** No snapshot can be created: the ones that buyers may still fetch use up the space. */
export class SnapshotsFullError extends Error {
  override readonly name = 'SnapshotsFullError'
}
