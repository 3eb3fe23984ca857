/**
 * Characters that show nothing yet change how the text around them reads: controls, marks that turn the reading
 * direction, zero-width characters, tags, halves of characters. Source: Unicode TR 36 and TR 9.
 */
const DECEPTIVE = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu

// A handful of combining marks belongs to real scripts; piles of them climb over the lines around.
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu

/** Text by strangers made fit to show: one line, without deceptive characters, at most `max` characters long. */
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

/** The middle of a long identifier left out: `0x1234…abcd`. */
export function shortenMiddle(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

/** A URL that may be linked to, or undefined: http and https only. */
export function linkable(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined
}

/** `1 probe`, `2 probes`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}
