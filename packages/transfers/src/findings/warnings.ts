import type { TokenWarning } from '@touchstone402/shared'
import type { TokenFacts } from '../types.ts'
import type { Fit } from './fitCheck.ts'
import { looksAlike } from './skeleton.ts'
import type { WellKnownToken } from './wellKnownTokens.ts'

/** Removes case, spaces and invisible characters. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

/** Returns the codes of warnings about a token, in a fixed order. `fit` is the result of the fit check. */
export function tokenWarnings(
  { address, symbol, decimals }: TokenFacts,
  wellKnown: readonly WellKnownToken[],
  fit: Fit | null,
): TokenWarning[] {
  const warnings: TokenWarning[] = []
  if (decimals === null) warnings.push('decimals_unknown')
  if (symbol === null) warnings.push('symbol_unknown')
  else if (!wellKnown.some((known) => known.address.toLowerCase() === address)) {
    if (wellKnown.some((known) => plain(known.symbol) === plain(symbol)))
      warnings.push('symbol_of_another_token')
    else if (wellKnown.some((known) => looksAlike(known.symbol, symbol)))
      warnings.push('symbol_looks_like_another_token')
  }
  if (fit !== null && fit.kind !== 'fits') warnings.push(fit.kind)
  return warnings
}
