/** A form of payment that a specification of the protocol names, as a whole 402, and the verdicts that are right for it. */
export type OfficialForm = {
  name: string
  /** Where the form is specified: a path in x402-foundation/x402 unless it says otherwise. */
  source: string
  challenge: { status: 402; headers: Record<string, string>; body: unknown }
  /** The right verdicts at a seller that keeps one receiver and one price, measured for more than a day. */
  right: readonly ('safe' | 'caution' | 'unknown' | 'avoid')[]
}

/** One form, before it is written into a challenge. */
export type FormRow = Omit<OfficialForm, 'challenge'> & {
  /** Entries of `accepts` in the shape of v2, or of v1 for networks by name. */
  accepts: readonly Record<string, unknown>[]
  /** Where the entries stand. @default 'v2' */
  shape?: 'v1' | 'v2' | 'both'
  /** Headers beside the challenge. */
  headers?: Record<string, string>
}
