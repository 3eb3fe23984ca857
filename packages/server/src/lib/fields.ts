import { asObject, parseAtomic } from '@touchstone402/shared'

/** An untrusted JSON object. */
export type Row = Readonly<Record<string, unknown>>

/** Returns the first of the named fields that is an object. */
export function readObject(row: Row | undefined, ...names: readonly string[]): Row | undefined {
  return readFirst(row, names, asObject)
}

/** Returns the first of the named fields that is an array. */
export function readList(row: Row | undefined, ...names: readonly string[]): readonly unknown[] | undefined {
  return readFirst(row, names, (value) => (Array.isArray(value) ? value : undefined))
}

/** Returns the first of the named fields that has text, as one line of at most 200 characters. */
export function readText(row: Row | undefined, ...names: readonly string[]): string | null {
  const text = readFirst(row, names, (value) => {
    if (typeof value !== 'string') return undefined
    // Cut before the replacement, because the text may be huge.
    const line = value.slice(0, 1_000).replace(/[\p{C}\p{Z}]+/gu, ' ')
    return line.trim().slice(0, 200) || undefined
  })
  return text ?? null
}

/** Returns the first of the named fields that is a URL: text, or an object with `url`. */
export function readUrl(row: Row | undefined, ...names: readonly string[]): string | undefined {
  return readFirst(row, names, (value) => {
    const text = asObject(value)?.url ?? value
    return typeof text === 'string' && text !== '' ? text : undefined
  })
}

/** Returns the first of the named fields that is a finite number, 0 or more. */
export function readNumber(row: Row | undefined, ...names: readonly string[]): number | null {
  const isCount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0
  return readFirst(row, names, (value) => (isCount(value) ? Number(value) : undefined)) ?? null
}

/** Returns the first of the named fields that is an atomic amount: digits, or a safe integer. */
export function readAtomic(row: Row | undefined, ...names: readonly string[]): string | null {
  const amount = readFirst(row, names, (value) => {
    try {
      return parseAtomic(Number.isSafeInteger(value) ? String(value) : value).toString()
    } catch {
      return undefined
    }
  })
  return amount ?? null
}

/** Unix times above this are in milliseconds; in seconds it is the year 5138. */
const SECONDS_LIMIT = 1e11

/** Returns the first of the named fields that is a time (ISO text, Unix seconds or milliseconds), in Unix ms. */
export function readTime(row: Row | undefined, ...names: readonly string[]): number | null {
  const time = readFirst(row, names, (value) => {
    if (typeof value === 'number' && value > 0 && value < SECONDS_LIMIT * 1_000) {
      return Math.round(value < SECONDS_LIMIT ? value * 1_000 : value)
    }
    if (typeof value !== 'string' || value.length > 40) return undefined
    // 402index writes UTC as "2026-04-26 18:13:16".
    const isBare = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value)
    const at = Date.parse(isBare ? `${value.replace(' ', 'T')}Z` : value)
    return Number.isFinite(at) && at > 0 ? at : undefined
  })
  return time ?? null
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Returns the first of the named fields that is an HTTP method, in upper case. */
export function readMethod(row: Row | undefined, ...names: readonly string[]): string | null {
  const method = readFirst(row, names, (value) => {
    const upper = typeof value === 'string' ? value.toUpperCase() : ''
    return METHODS.has(upper) ? upper : undefined
  })
  return method ?? null
}

function readFirst<T>(
  row: Row | undefined,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = read(row?.[name])
    if (value !== undefined) return value
  }
  return undefined
}
