import type { Address, TokenFacts } from '../types.ts'

/** A token that others like to be taken for. */
export type WellKnownToken = { readonly symbol: string; readonly address: Address }

/** Look-alike letters are not unmasked; case, spaces and invisible characters are. */
const plain = (text: string | null): string =>
  (text ?? '')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

/** What a buyer should know of the token itself. Codes, in a fixed order. */
export const tokenWarnings = (
  token: TokenFacts,
  wellKnown: readonly WellKnownToken[],
  fits: boolean | null,
): string[] => {
  const warnings: string[] = []
  if (token.decimals === null) warnings.push('decimals_unknown')
  if (token.symbol === null) warnings.push('symbol_unknown')
  const borrowed = wellKnown.some(
    ({ symbol, address }) => plain(symbol) === plain(token.symbol) && address.toLowerCase() !== token.address,
  )
  if (borrowed) warnings.push('symbol_of_another_token')
  // Fee-on-transfer and rebasing tokens move balances that their transfers do not show.
  if (fits === false) warnings.push('balances_do_not_fit_transfers')
  return warnings
}
