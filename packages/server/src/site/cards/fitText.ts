import { cleanText } from '../text.ts'

/** A text as lines of one size. */
export type FittedText = { readonly lines: readonly string[]; readonly size: number }

type Room = {
  /** Width in pixels. */
  readonly width: number
  /** Most lines at each size, largest size first. */
  readonly sizes: readonly (readonly [size: number, lines: number])[]
}

/** Characters without a glyph in the font of cards; drawing them would need the fonts of the machine. */
const NO_GLYPH =
  /[^ -~\u00a0-\u0113\u0116-\u012b\u012e-\u0131\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u014d\u0150-\u017e\u0400-\u045f\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u2190-\u2193\u2212]/gu

/** Cleans untrusted text for a card: one line of at most `max` characters, each of which the font can draw. */
export function cardText(text: string, max: number): string {
  return cleanText(text, max).replace(NO_GLYPH, '?')
}

/** Breaks a text into lines at the largest size at which all of it fits, or shortens it at the smallest. */
export function fitText(text: string, { width, sizes }: Room): FittedText {
  for (const [size, most] of sizes) {
    const lines = breakLines(text, size, width)
    if (lines.length <= most) return { lines, size }
  }
  const [size, most] = sizes.at(-1) ?? [1, 1]
  const lines = breakLines(text, size, width).slice(0, most)
  const last = lines.pop() ?? ''
  const isFull = widthOf(`${last}…`, size) > width
  return { lines: [...lines, `${isFull ? last.slice(0, -2) : last}…`], size }
}

/** Breaks between words, and within a word that is longer than a line. */
function breakLines(text: string, size: number, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if (widthOf(joined, size) <= width) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const letter of word) {
      if (widthOf(line + letter, size) > width) {
        lines.push(line)
        line = ''
      }
      line += letter
    }
  }
  return [...lines, line]
}

/** Width in em of the widest letter of each class, in either weight of the font. */
const WIDTHS = [
  [/[Iijl|.,:;'!/ -]/, 0.37],
  [/[frt()[\]{}\\1*"]/, 0.48],
  [/[a-ln-vx-z\d?+<>]/, 0.65],
  [/[A-LN-VX-Z$_&~=^`]/, 0.76],
] as const
const WIDEST = 0.99

/** Estimates the width of a text in pixels, rather too wide than too narrow. */
function widthOf(text: string, size: number): number {
  let em = 0
  for (const letter of text) em += WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? WIDEST
  return em * size
}
