/**
 * Creates a map that evicts the least recently used entry.
 * @param max maximum number of entries
 */
export function createLru<V>(max: number) {
  const map = new Map<string, V>()
  return {
    get(key: string): V | undefined {
      const value = map.get(key)
      if (value === undefined) return undefined
      map.delete(key)
      map.set(key, value)
      return value
    },
    set(key: string, value: V): void {
      map.delete(key)
      map.set(key, value)
      if (map.size <= max) return
      const oldest = map.keys().next().value
      if (oldest !== undefined) map.delete(oldest)
    },
    /** Values, the least recently used first. */
    values: () => map.values(),
    delete: (key: string) => void map.delete(key),
  }
}
