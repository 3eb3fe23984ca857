import type { Address, TokenFacts } from '../types.ts'

/** A token that others may imitate. */
export type WellKnownToken = { readonly symbol: string; readonly address: Address }

/** Removes case, spaces and invisible characters. Does not detect look-alike letters. */
const plain = (text: string | null): string =>
  (text ?? '')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

/** Returns the codes of warnings about a token, in a fixed order. `fits` is the result of the fit check. */
export function tokenWarnings(
  token: TokenFacts,
  wellKnown: readonly WellKnownToken[],
  fits: boolean | null,
): string[] {
  const warnings: string[] = []
  if (token.decimals === null) warnings.push('decimals_unknown')
  if (token.symbol === null) warnings.push('symbol_unknown')
  const borrowed = wellKnown.some(
    ({ symbol, address }) => plain(symbol) === plain(token.symbol) && address.toLowerCase() !== token.address,
  )
  if (borrowed) warnings.push('symbol_of_another_token')
  // Tokens with transfer fees or rebasing change balances without matching transfers.
  if (fits === false) warnings.push('balances_do_not_fit_transfers')
  return warnings
}
