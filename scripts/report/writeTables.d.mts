import type { writePromises } from './tables.mjs'

export function writeTables(
  page: string,
  parts: {
    readonly files: readonly string[]
    readonly takes: Readonly<Record<string, string>>
    readonly promises: Parameters<typeof writePromises>[0]
  },
): string
