const MAX_LETTERS = 16

/**
 * Quotes a token's symbol for a sentence, cut to 16 letters: its text is the contract author's, and may read like ours.
 */
export function quoteSymbol(symbol: string): string {
  const letters = [...symbol.replace(/["“”\p{C}]/gu, '').trim()]
  return `“${letters.slice(0, MAX_LETTERS).join('')}${letters.length > MAX_LETTERS ? '…' : ''}”`
}
