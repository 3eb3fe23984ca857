/** Values by key, each of one host, bounded in bytes. */
export type HostCache<V> = {
  get(key: string): V | undefined
  /**
   * @param bytes estimated size of the value
   * @param host drops the value with the others of this host. @default the value is dropped by its key alone
   */
  put(key: string, value: V, bytes: number, host?: string): void
  drop(key: string): void
  /** Drops what was put with a host. */
  dropHost(host: string): void
  clear(): void
  bytes(): number
}

type Entry<V> = { readonly value: V; readonly bytes: number; readonly host: string | undefined }
type Generation<V> = {
  readonly entries: Map<string, Entry<V>>
  readonly keysOf: Map<string, Set<string>>
  bytes: number
}

/** Heap of map entries and objects of one value, as measured. */
const OVERHEAD_BYTES = 400

/** Creates a cache of two generations: what is not read while one fills up is dropped with the other. */
export function createHostCache<V>(maxBytes: number): HostCache<V> {
  let young = createGeneration<V>()
  let old = createGeneration<V>()
  const insert = (key: string, entry: Entry<V>) => {
    if (young.bytes + entry.bytes > maxBytes / 2) {
      old = young
      young = createGeneration()
    }
    addTo(young, key, entry)
  }
  const drop = (key: string) => {
    removeFrom(young, key)
    removeFrom(old, key)
  }
  return {
    get(key) {
      const recent = young.entries.get(key)
      if (recent !== undefined) return recent.value
      const found = old.entries.get(key)
      if (found === undefined) return undefined
      removeFrom(old, key)
      insert(key, found)
      return found.value
    },
    put(key, value, bytes, host) {
      drop(key)
      const entry = { value, bytes: bytes + 2 * key.length + OVERHEAD_BYTES, host }
      if (entry.bytes <= maxBytes / 2) insert(key, entry)
    },
    drop,
    dropHost(host) {
      for (const generation of [young, old]) {
        for (const key of generation.keysOf.get(host) ?? []) removeFrom(generation, key)
      }
    },
    clear() {
      young = createGeneration()
      old = createGeneration()
    },
    bytes: () => young.bytes + old.bytes,
  }
}

function createGeneration<V>(): Generation<V> {
  return { entries: new Map(), keysOf: new Map(), bytes: 0 }
}

function addTo<V>(generation: Generation<V>, key: string, entry: Entry<V>): void {
  generation.entries.set(key, entry)
  generation.bytes += entry.bytes
  if (entry.host === undefined) return
  const keys = generation.keysOf.get(entry.host)
  if (keys === undefined) generation.keysOf.set(entry.host, new Set([key]))
  else keys.add(key)
}

function removeFrom<V>(generation: Generation<V>, key: string): void {
  const entry = generation.entries.get(key)
  if (entry === undefined) return
  generation.entries.delete(key)
  generation.bytes -= entry.bytes
  if (entry.host === undefined) return
  const keys = generation.keysOf.get(entry.host)
  keys?.delete(key)
  if (keys?.size === 0) generation.keysOf.delete(entry.host)
}
