import { parseAtomic } from '@touchstone402/shared'

/** A JSON object of a directory, before any of it is believed. */
export type Row = Readonly<Record<string, unknown>>

/** The value as an object, or undefined. */
export function asObject(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

/** The first of these fields that is an object. */
export function readObject(row: Row | undefined, ...names: readonly string[]): Row | undefined {
  return names.map((name) => asObject(row?.[name])).find((value) => value !== undefined)
}

/** The first of these fields that is a list. */
export function readList(row: Row | undefined, ...names: readonly string[]): readonly unknown[] | undefined {
  const lists = names.map((name) => row?.[name])
  return lists.find((value): value is unknown[] => Array.isArray(value))
}

/** The first of these fields that holds text: one line, at most 200 characters. Null where none does. */
export function readText(row: Row | undefined, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = row?.[name]
    if (typeof value !== 'string') continue
    // Cut first: what a stranger wrote may be very long.
    const text = value
      .slice(0, 1_000)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim()
      .slice(0, 200)
    if (text !== '') return text
  }
  return null
}

/** The first of these fields that is a number from 0 up, or null. */
export function readNumber(row: Row | undefined, ...names: readonly string[]): number | null {
  const values = names.map((name) => row?.[name])
  return (
    values.find(
      (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    ) ?? null
  )
}

/** The first of these fields that is an atomic amount: digits, or a whole number that is exact. Null where none is. */
export function readAtomic(row: Row | undefined, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = row?.[name]
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    try {
      return parseAtomic(text).toString()
    } catch {
      // The next field may hold it.
    }
  }
  return null
}

/** Above it a number of unix time is in milliseconds; in seconds it would be the year 5138. */
const SECONDS_LIMIT = 1e11

/** The first of these fields that is a time, as unix milliseconds: ISO text, or unix seconds or milliseconds. */
export function readTime(row: Row | undefined, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = row?.[name]
    if (typeof value === 'number' && value > 0 && value < SECONDS_LIMIT * 1_000) {
      return Math.round(value < SECONDS_LIMIT ? value * 1_000 : value)
    }
    if (typeof value !== 'string' || value.length > 40) continue
    // 402index writes "2026-04-26 18:13:16" and means UTC.
    const at = Date.parse(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) ? `${value.replace(' ', 'T')}Z` : value,
    )
    if (Number.isFinite(at) && at > 0) return at
  }
  return null
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The first of these fields that is a method of HTTP, in upper case, or null. */
export function readMethod(row: Row | undefined, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = row?.[name]
    const method = typeof value === 'string' ? value.toUpperCase() : ''
    if (METHODS.has(method)) return method
  }
  return null
}
