import type { TokenWarning } from '@touchstone402/shared'
import type { TokenFacts } from '../types.ts'
import type { Fit } from './fitCheck.ts'
import { createMatcher } from './skeleton.ts'
import type { WellKnownToken } from './wellKnownTokens.ts'

/** Returns the codes of warnings about a token, in a fixed order. `fit` is the result of the fit check. */
export type TokenWarnings = (token: TokenFacts, fit: Fit | null) => TokenWarning[]

/** Whether a name belongs to one token. Short ones are words that many may use, unless they name money. */
const isDistinct = (name: string): boolean =>
  name.replace(/\W/gu, '').length >= 7 || /usd|eur|btc|eth/iu.test(name)

/** Removes the marks of a bridged token, which its original lacks: `Bridged USDC (Base)` is `USDC`. */
const originalName = (name: string): string =>
  name.replace(/\(.*?\)/gu, '').replace(/\b(l2|standard|bridged)\b/giu, '')

/** Removes the ending of a bridged token: `USDC.e` is `USDC`. */
const originalSymbol = (symbol: string): string => symbol.replace(/\.[a-z]$/iu, '')

/** Creates the warnings of a chain, where a token may imitate a well-known one by its symbol or its name. */
export function createTokenWarnings(wellKnown: readonly WellKnownToken[]): TokenWarnings {
  const genuine = new Set(wellKnown.map(({ address }) => address.toLowerCase()))
  const symbols = wellKnown.map(({ symbol }) => symbol)
  const matchSymbol = createMatcher(symbols)
  const names = wellKnown.flatMap((token) => token.names).flatMap((name) => [name, originalName(name)])
  const matchName = createMatcher([...names, ...symbols].filter(isDistinct))
  const imitates = ({ name, symbol }: TokenFacts): TokenWarning | null => {
    const match = symbol === null ? null : matchSymbol(symbol)
    if (match === 'same') return 'symbol_of_another_token'
    if (match === 'alike' || (symbol !== null && matchSymbol(originalSymbol(symbol)) !== null))
      return 'symbol_looks_like_another_token'
    const isKnown = name !== null && [name, originalName(name)].some((text) => matchName(text) !== null)
    return isKnown ? 'name_looks_like_another_token' : null
  }
  return (token, fit) => {
    const warnings: TokenWarning[] = []
    if (token.decimals === null) warnings.push('decimals_unknown')
    if (token.symbol === null) warnings.push('symbol_unknown')
    const imitation = genuine.has(token.address.toLowerCase()) ? null : imitates(token)
    if (imitation !== null) warnings.push(imitation)
    if (fit !== null && fit.kind !== 'fits') warnings.push(fit.kind)
    return warnings
  }
}
