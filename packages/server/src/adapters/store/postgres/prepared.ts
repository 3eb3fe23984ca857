import type { QueryConfig } from 'pg'

const names = new Map<string, string>()

/**
 * Builds a statement that each connection parses once. For texts of the program only: their number is bounded, and so is
 * what connections remember. Not for reads of `look`, whose partitions are chosen by the values.
 */
export function prepared(text: string, values: readonly unknown[]): QueryConfig {
  const name = names.get(text) ?? `touchstone_${names.size}`
  names.set(text, name)
  return { name, text, values: [...values] }
}
