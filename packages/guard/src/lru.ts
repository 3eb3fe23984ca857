/** A map that evicts the least recently used entry. */
export type Lru<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/**
 * Creates an empty LRU map.
 * @param max maximum number of entries
 */
export function createLru<V>(max: number): Lru<V> {
  const map = new Map<string, V>()
  return {
    get(key) {
      const value = map.get(key)
      if (value === undefined) return undefined
      map.delete(key)
      map.set(key, value)
      return value
    },
    set(key, value) {
      map.delete(key)
      map.set(key, value)
      if (map.size <= max) return
      const oldest = map.keys().next().value
      if (oldest !== undefined) map.delete(oldest)
    },
    delete: (key) => void map.delete(key),
  }
}
