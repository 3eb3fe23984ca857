/** Largest entry in bytes (C2SP tlog-tiles: a length of 16 bits). */
export const MAX_ENTRY_BYTES = 65_535

/** Joins entries to a bundle. @throws RangeError if one is too long */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  let at = 0
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry has at most ${MAX_ENTRY_BYTES} bytes`)
    bundle[at] = entry.length >> 8
    bundle[at + 1] = entry.length & 255
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** Splits a bundle into entries; undefined if it does not end with one. */
export function decodeEntries(bundle: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length; ) {
    const [high, low] = [bundle[at], bundle[at + 1]]
    if (high === undefined || low === undefined) return undefined
    const end = at + 2 + high * 256 + low
    if (end > bundle.length) return undefined
    entries.push(bundle.slice(at + 2, end))
    at = end
  }
  return entries
}
