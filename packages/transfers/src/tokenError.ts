import { getAddress } from 'viem'
import type { Address } from './types.ts'

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

/** Creates the error for a token whose logs do not give its transfers. */
export function unreadable(token: Address, why: string): TokenError {
  return new TokenError(
    'not_erc20',
    `${getAddress(token)} is not an ERC-20 token in a form that can be read: ${why}`,
  )
}

/** Creates the error for a token that is NFTs at the same time. */
export function isBoth(token: Address): TokenError {
  return new TokenError(
    'not_erc20',
    `${getAddress(token)} is not an ERC-20 token but ERC-404, whose logs mix amounts and NFTs`,
  )
}

/** Creates the error for a collection of NFTs, known by its interface or by its logs. */
export function notFungible(token: Address): TokenError {
  return new TokenError('not_erc20', `${getAddress(token)} is not an ERC-20 token but NFTs (ERC-721)`)
}
