/** A form that was sent. */
export type Sent = {
  /** A host that can be claimed. */
  readonly host: string
  /** Returns a field without spaces around it. */
  readonly of: (name: string) => string
  /** Counts a request to the host. @throws ProblemError 429 */
  readonly countRequest: () => void
}

/** The success of a form: the answer for programs, and a sentence for people with what they copy. */
export type Outcome = {
  readonly status?: number
  readonly json: object
  readonly note: string
  readonly copy?: string
}
