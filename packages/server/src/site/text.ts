import { ADDRESS_PATTERN } from '@touchstone402/shared'
import { getAddress } from 'viem'

/**
 * Invisible characters that change how surrounding text reads: controls, bidirectional marks, zero-width characters,
 * tags, lone surrogates, and code points that no XML may hold. Source: Unicode TR 36 and TR 9.
 */
const DECEPTIVE =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|\p{Noncharacter_Code_Point}/gu

// Real scripts stack a few combining marks; long stacks overlap neighbouring lines.
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu

/** Cleans untrusted text for display: one line, no deceptive characters, at most `max` characters. */
export function cleanText(text: string, max = 160): string {
  const line = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .replace(DECEPTIVE, '')
    .replace(PILED_MARKS, '$1')
    .trim()
  const characters = [...line]
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`
}

/** Cuts the middle out of a text of more than `max` characters, so that its begin and its end can be read. */
export function cutMiddle(text: string, max: number): string {
  const characters = [...cleanText(text, text.length)]
  if (characters.length <= max) return characters.join('')
  const end = Math.floor((max - 1) / 2)
  return [...characters.slice(0, max - 1 - end), '…', ...characters.slice(-end)].join('')
}

/** Quotes a text as one word of a shell, where it must be. A single quote ends the quoted text; all else is literal inside. */
export const quoteShell = (text: string): string =>
  /^[\w:/.%@+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Shows untrusted text whole, with its deceptive characters, but line feeds and tabs, as escapes. */
export function showControls(text: string): string {
  return text.replace(DECEPTIVE, (one) =>
    one === '\n' || one === '\t' ? one : `\\u{${one.codePointAt(0)?.toString(16)}}`,
  )
}

/** Returns an address as pages show it: EIP-55 checksummed if it is one of an EVM network. */
export function showAddress(address: string): string {
  const clean = cleanText(address, 120)
  return ADDRESS_PATTERN.test(clean) ? getAddress(clean) : clean
}

/** Shortens an address or hash for display: `0x123456…abcdef`. */
export function shortenAddress(address: string): string {
  const text = showAddress(address)
  return text.length <= 15 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`
}

/** Returns the URL if a page may link to it (http or https), otherwise undefined. */
export function linkable(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined
}
