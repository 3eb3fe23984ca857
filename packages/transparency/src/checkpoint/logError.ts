/** Reason why part of a log was refused. */
export type LogErrorCode =
  /** Not a checkpoint: origin, size and root, one a line. */
  | 'malformed_checkpoint'
  | 'malformed_proof'
  | 'malformed_leaf'
  /** A key, a witness or a quorum that no checkpoint could fulfil. */
  | 'malformed_policy'
  /** The checkpoint is of another log. */
  | 'wrong_origin'
  /** The log's own key did not sign the checkpoint. */
  | 'unsigned_checkpoint'
  /** Fewer witnesses than the quorum cosigned the checkpoint lately. */
  | 'too_few_witnesses'
  /** The proof does not match the leaf. */
  | 'not_included'
  /** A newer tree does not begin with an older one: the log shows two histories. */
  | 'inconsistent'
  /** A tile or a bundle is missing, cut or altered. */
  | 'wrong_tile'

/**
 * Part of a log that was refused. `code` states why.
 * @example
 * const isForked = (error: unknown) => error instanceof LogError && error.code === 'inconsistent'
 */
export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code: LogErrorCode
  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
