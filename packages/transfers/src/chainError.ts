/**
 * Why chain data could not be had.
 *
 * - `unreachable`: no RPC answered usefully.
 * - `deadline`: time ran out or the caller gave up.
 * - `disagreement`: the RPCs are on different chains or report different blocks.
 * - `not_there_yet`: the range ends above the head.
 * - `too_large`: more rows than one answer may hold.
 * - `reverted`: the contract refused the call.
 * - `bad_answer`: an RPC answered something that is not what was asked.
 */
export type ChainErrorCode =
  | 'unreachable'
  | 'deadline'
  | 'disagreement'
  | 'not_there_yet'
  | 'too_large'
  | 'reverted'
  | 'bad_answer'

/** Chain data could not be had; the caller shows "unknown", never a guess. Messages name no RPC URL. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code: ChainErrorCode

  constructor(code: ChainErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
