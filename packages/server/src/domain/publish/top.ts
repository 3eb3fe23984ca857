/** A bounded list of the best items. */
export type Top<T> = {
  add(item: T): void
  /** Best first. */
  list(): readonly T[]
}

/**
 * Keeps the best `size` items without sorting all of them.
 * @param compare sorts best first
 */
export function createTop<T>(size: number, compare: (a: T, b: T) => number): Top<T> {
  const best: T[] = []
  return {
    add(item) {
      const last = best.at(-1)
      if (best.length >= size && last !== undefined && compare(item, last) >= 0) return
      const place = best.findIndex((other) => compare(item, other) < 0)
      best.splice(place < 0 ? best.length : place, 0, item)
      if (best.length > size) best.pop()
    },
    list: () => [...best],
  }
}
