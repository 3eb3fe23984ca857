/**
 * Writes items in batches, one batch after the other: items that are added during a write form the next batch.
 * Adding null waits for a write that begins later.
 */
export function createBatch<T>(write: (items: T[]) => Promise<void>): (item: T | null) => Promise<void> {
  let queue: T[] = []
  let writing: Promise<void> = Promise.resolve()
  /** The write that has not begun. */
  let next: Promise<void> | null = null
  return (item) => {
    if (item !== null) queue.push(item)
    next ??= writing
      .catch(() => {})
      .then(() => {
        const items = queue
        queue = []
        next = null
        return write(items)
      })
    writing = next
    return next
  }
}
