/** Cached values by key, bounded in bytes. Those that were not used for the longest time are evicted first. */
export type ByteCache<Value> = {
  /** Returns a value and the time of its `set`, in Unix ms. */
  get(key: string): { readonly at: number; readonly value: Value } | undefined
  set(key: string, value: Value): void
  drop(key: string): void
  clear(): void
}

export type ByteCacheOptions<Value> = {
  readonly maxBytes: number
  /** Time in ms after which a value is dropped. */
  readonly expiryMs: number
  /** Returns the size of a value in bytes, without its key. */
  readonly sizeOf: (value: Value) => number
  readonly now: () => number
}

/** Size of an entry beside its value and key, in bytes. */
const ENTRY_BYTES = 200

/** Creates a cache. A value that alone exceeds the bound is not kept. */
export function createByteCache<Value>(options: ByteCacheOptions<Value>): ByteCache<Value> {
  const { maxBytes, expiryMs, sizeOf, now } = options
  // In the order of their last use.
  const entries = new Map<string, { readonly at: number; readonly value: Value; readonly bytes: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    drop,
    clear() {
      entries.clear()
      total = 0
    },
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      // One from the future was set before the clock was set back.
      if (now() - entry.at >= expiryMs || now() < entry.at) {
        drop(key)
        return undefined
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set(key, value) {
      drop(key)
      const bytes = ENTRY_BYTES + 2 * key.length + sizeOf(value)
      entries.set(key, { at: now(), value, bytes })
      total += bytes
      for (const [oldest, { at }] of entries) {
        if (total <= maxBytes && now() - at < expiryMs) break
        drop(oldest)
      }
    },
  }
}
