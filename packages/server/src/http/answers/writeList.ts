import type { Breathe } from '../../readModel/createBreathe.ts'

/** Characters per chunk: a chunk for each record would cost more memory than the record. */
const BLOCK_CHARS = 64 * 1024

/** Writes the items of a JSON list, without its brackets. */
export async function* writeList<T>(
  items: Iterable<T> | AsyncIterable<T>,
  toJson: (item: T) => string,
  breathe: Breathe,
): AsyncGenerator<string> {
  let block = ''
  let separator = ''
  for await (const item of items) {
    block += separator + toJson(item)
    separator = ','
    const pause = breathe()
    if (pause !== undefined) await pause
    if (block.length < BLOCK_CHARS) continue
    yield block
    block = ''
  }
  yield block
}
