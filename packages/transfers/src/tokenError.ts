/** Why an address is not a token. */
export type TokenErrorCode = 'not_a_contract' | 'not_erc20'

/** The address is not an ERC-20 token: the answer is an uncharged 404. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
