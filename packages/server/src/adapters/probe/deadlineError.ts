/** The whole time of a probe is over. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  /** Whether our own process was late, so that the time says nothing about the seller. */
  readonly isOurs: boolean
  constructor(isOurs: boolean) {
    super('the deadline of the probe has passed')
    this.isOurs = isOurs
  }
}
