/**
 * Why chain data is unavailable.
 *
 * - `unreachable`: no RPC gave a usable answer.
 * - `deadline`: the deadline passed or the caller aborted.
 * - `disagreement`: the RPCs are on different chains or report different blocks.
 * - `not_there_yet`: the range ends above the head.
 * - `too_large`: the answer exceeds the row or byte limit.
 * - `reverted`: the contract reverted the call.
 * - `bad_answer`: an RPC returned malformed or unrelated data.
 */
export type ChainErrorCode =
  | 'unreachable'
  | 'deadline'
  | 'disagreement'
  | 'not_there_yet'
  | 'too_large'
  | 'reverted'
  | 'bad_answer'

/** Chain data is unavailable; callers report "unknown" and never guess. Messages contain no RPC URL. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code: ChainErrorCode

  constructor(code: ChainErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
