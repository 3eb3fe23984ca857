/** A map that forgets what was not used for the longest time. */
export type Lru<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** @param max how many entries it keeps */
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
