/** Age in ms of a `claimed` claim whose process must have died; longer than verification and the slowest handler. */
export const ABANDONED_AFTER_MS = 180_000
/** Age in ms of a settlement that must have been answered. */
export const SETTLING_AFTER_MS = 90_000
/** Interval in ms at which open payments are compared with the chain. */
export const RECONCILE_EVERY_MS = 30_000
