/** Time from one look to the next, in ms: so many days pass between two kills that looks are dropped all the time. */
export const STEP_MS = 1_800_000
/** All looks are before 1 June 2026, the time of the claims, so that no answer of a claim expires. */
export const START = Date.UTC(2026, 5, 1) - 80_000 * STEP_MS

/** Returns the time of a look by its number. */
export const timeOf = (number: number): number => START + number * STEP_MS
