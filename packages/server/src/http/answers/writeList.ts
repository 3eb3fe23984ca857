import type { Breathe } from '../../domain/publish/breathe.ts'

/** About how much text goes out at once: a step of its own for each record would cost more memory than the record. */
const BLOCK_CHARS = 64 * 1024

/** The items of a JSON list, without its brackets. */
export async function* writeList<T>(
  items: Iterable<T> | AsyncIterable<T>,
  toJson: (item: T) => string,
  breathe: Breathe,
): AsyncGenerator<string> {
  let parts: string[] = []
  let length = 0
  let isFirst = true
  const add = (item: T) => {
    const text = toJson(item)
    parts.push(isFirst ? text : `,${text}`)
    isFirst = false
    length += text.length
  }
  const flush = () => {
    const block = parts.join('')
    parts = []
    length = 0
    return block
  }
  // A step of an asynchronous iteration costs a promise, which plain lists are spared.
  if (Symbol.iterator in items) {
    for (const item of items) {
      add(item)
      const pause = breathe()
      if (pause !== undefined) await pause
      if (length >= BLOCK_CHARS) yield flush()
    }
  } else {
    for await (const item of items) {
      add(item)
      const pause = breathe()
      if (pause !== undefined) await pause
      if (length >= BLOCK_CHARS) yield flush()
    }
  }
  yield flush()
}
