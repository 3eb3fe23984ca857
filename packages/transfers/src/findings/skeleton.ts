import confusables from './confusables.json' with { type: 'json' }

const LOOKS = new Map(
  Object.entries(confusables.letters).flatMap(([shown, codes]) =>
    codes.split(' ').map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), shown] as const),
  ),
)
/** Shorter texts look like too many others. They match only if they are the same. */
const MIN_LETTERS = 3

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

/** Removes case, spaces and invisible characters. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

/** Returns the skeletons of a text as it is, in upper case and in lower case. */
const formsOf = (text: string): string[] =>
  [text, text.toUpperCase(), text.toLowerCase()].map(skeletonOf).filter((form) => form.length >= MIN_LETTERS)

/** How a text matches a known one: it is the same except for case and spaces, or looks like it. Null: neither. */
export type Match = 'same' | 'alike' | null

/** Creates the comparison of texts with known ones. */
export function createMatcher(known: readonly string[]): (text: string) => Match {
  const texts = new Set(known.map(plain).filter((text) => text !== ''))
  const forms = new Set(known.flatMap(formsOf))
  return (text) => {
    if (texts.has(plain(text))) return 'same'
    return formsOf(text).some((form) => forms.has(form)) ? 'alike' : null
  }
}
