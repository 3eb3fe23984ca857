import { groupAmount, quoteSymbol, type TokenAmount, type TokenDay } from '@touchstone402/shared'

/** Digits before the point from which an amount is written as a power of ten: no token with a real supply has more. */
const MAX_DIGITS = 18

/** Formats an amount for a page, in token units, or in the smallest unit if the decimals are not known. */
export function formatAmount({ raw, amount }: TokenAmount): string {
  const text = amount ?? raw
  const [, sign = '', whole = ''] = /^(-?)(\d*)/.exec(text) ?? []
  const shown =
    whole.length > MAX_DIGITS
      ? `${sign}${whole[0]}.${whole.slice(1, 3)} × 10^${whole.length - 1}`
      : groupAmount(text)
  return shown.replace('-', '−')
}

/** Formats a change with its sign: `+12`, `−3`. */
export const formatChange = (change: TokenAmount): string =>
  `${BigInt(change.raw) > 0n ? '+' : ''}${formatAmount(change)}`

/** Returns what amounts of a token are called in a sentence. The symbol is a stranger's, so it is quoted. */
export const unitOf = ({ symbol, decimals }: TokenDay['pulse']['token']): string =>
  decimals === null ? 'units' : symbol === null ? 'tokens' : quoteSymbol(symbol)
