import { CONFUSABLES } from './confusables.ts'

const LOOKS = new Map(
  CONFUSABLES.flatMap(([shown, codes]) =>
    codes.split(' ').map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), shown] as const),
  ),
)

/**
 * Returns a text that is the same for texts that look alike: without marks, spaces and punctuation, and with one
 * letter for all that look like it. Not for display.
 *
 * Source: UTS 39, section 4, confusable detection.
 */
export function skeletonOf(text: string): string {
  return [...text.normalize('NFKD')]
    .map((letter) => LOOKS.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Whether two texts look alike, also after both are put in upper case or in lower case. */
export function looksAlike(one: string, other: string): boolean {
  const forms = (text: string) => [text, text.toUpperCase(), text.toLowerCase()].map(skeletonOf)
  const known = forms(other)
  return forms(one).some((form) => form !== '' && known.includes(form))
}
