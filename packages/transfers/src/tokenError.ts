/** Why a token cannot be asked about. */
export type TokenErrorCode = 'not_a_contract' | 'not_erc20'

/** The address is no token: the answer is 404, not charged. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
