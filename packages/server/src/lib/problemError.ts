/** An error answer, sent as a problem document. */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly retryAfterSeconds?: number | undefined
  readonly errors?: readonly { parameter: string; code: string; message: string }[] | undefined
  /** Names a payment whose outcome is unknown. */
  readonly receipt?: string | undefined
  /** The limit that the caller is over. */
  readonly limit?: { readonly points: number; readonly windowSeconds: number } | undefined
}

/** An error that the caller sees; every other error becomes a bare 500. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly refusal: Refusal

  /**
   * @param status 400-599
   * @param code stable, in `snake_case`
   * @param detail one sentence for people
   */
  constructor(
    status: number,
    code: string,
    detail: string,
    more: Pick<Refusal, 'retryAfterSeconds' | 'errors' | 'receipt' | 'limit'> = {},
  ) {
    super(detail)
    this.refusal = { status, code, detail, ...more }
  }
}
