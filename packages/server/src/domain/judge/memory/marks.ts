/** Number of characters, each six bits. */
const LENGTH = 1024
/** Number of bits of a mark. With 500 marks one text of 150 counts as marked by chance, with 100 one of 50,000. */
const BITS = 4
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** No marks: a set of texts of bounded length, which may count a text as marked that is not, but never the other way. */
export const NO_MARKS = ''

/** Marks a text. */
export function addMark(marks: string, text: string): string {
  let marked = marks === NO_MARKS ? 'A'.repeat(LENGTH) : marks
  for (const bit of bitsOf(text)) {
    const place = Math.floor(bit / 6)
    const digit = DIGITS.indexOf(marked[place] ?? 'A') | (1 << (bit % 6))
    marked = `${marked.slice(0, place)}${DIGITS[digit]}${marked.slice(place + 1)}`
  }
  return marked
}

/** Whether a text was marked. */
export function hasMark(marks: string, text: string): boolean {
  if (marks === NO_MARKS) return false
  return bitsOf(text).every(
    (bit) => (DIGITS.indexOf(marks[Math.floor(bit / 6)] ?? 'A') & (1 << (bit % 6))) !== 0,
  )
}

function bitsOf(text: string): number[] {
  const [first, second] = [hash(text, 0x811c9dc5), hash(text, 0x9e3779b9) | 1]
  return Array.from({ length: BITS }, (_, index) => ((first + index * second) >>> 0) % (6 * LENGTH))
}

/** FNV-1a, 32 bits, mixed at the end so that alike texts get bits far apart. */
function hash(text: string, seed: number): number {
  let value = seed
  for (let place = 0; place < text.length; place++) {
    value = Math.imul(value ^ text.charCodeAt(place), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  return (value ^ (value >>> 16)) >>> 0
}
