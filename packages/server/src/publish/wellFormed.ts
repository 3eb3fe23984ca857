/** Replaces lone surrogates, which sellers may send and canonical JSON does not have. */
export function wellFormed(text: string): string {
  // The first pattern is the faster one, and most texts have no surrogates at all.
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text
}

/** Replaces lone surrogates in all texts of a JSON value, names of properties included. */
export function wellFormedJson<T>(value: T): T
export function wellFormedJson(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(wellFormedJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [wellFormed(key), wellFormedJson(part)]),
  )
}
