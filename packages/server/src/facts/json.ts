import { asObject } from '@touchstone402/shared'

/** Parses a JSON object; returns undefined for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Serialises with sorted keys, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      const object = asObject(inner)
      if (object === undefined) return inner
      return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
    }) ?? 'undefined'
  )
}
