import type { TokenWarning } from '@touchstone402/shared'

/** Sentence of each warning about a token. */
const SENTENCES: Readonly<Record<TokenWarning, string>> = {
  decimals_unknown: 'The decimals are not known.',
  symbol_unknown: 'The symbol is not known.',
  symbol_of_another_token: 'A well-known token has this symbol and another address: this is not that token.',
  symbol_looks_like_another_token:
    'The symbol looks like that of a well-known token with another address: this is not that token.',
  name_looks_like_another_token:
    'The name looks like that of a well-known token with another address: this is not that token.',
  takes_transfer_fee: 'The token takes a transfer fee.',
  rebases: 'The token rebases: balances also change between transfers.',
  balances_do_not_fit_transfers: 'Balances change by other amounts than the transfers state.',
}

const IMITATIONS: readonly TokenWarning[] = [
  'symbol_of_another_token',
  'symbol_looks_like_another_token',
  'name_looks_like_another_token',
]

/** Says what was found about a token, one sentence each. */
export const sayWarnings = (warnings: readonly TokenWarning[]): string[] =>
  warnings.map((warning) => SENTENCES[warning])

/** Returns the warnings that a token imitates a well-known one. */
export const findImitations = (warnings: readonly TokenWarning[]): TokenWarning[] =>
  warnings.filter((warning) => IMITATIONS.includes(warning))
