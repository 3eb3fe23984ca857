/** Names of the invariants. */
export type Invariant = 'covered' | 'once' | 'told' | 'apart' | 'alive'

/** An invariant that did not hold. */
export class Violation extends Error {
  override readonly name = 'Violation'
  readonly invariant: Invariant
  constructor(invariant: Invariant, why: string) {
    super(`${invariant}: ${why}`)
    this.invariant = invariant
  }
}
