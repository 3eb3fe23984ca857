import type { FetchLike } from '../../types.ts'

/** Input and output of a command. */
export type Io = {
  out: (line: string) => void
  err: (line: string) => void
  env: Readonly<Record<string, string | undefined>>
  fetch: FetchLike
}

/** Invalid usage; exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Exit codes. `check` uses 0-3, `pay` 0-2, and `ledger verify` 0 and 1. */
export const EXIT = {
  ok: 0,
  caution: 1,
  refused: 1,
  avoid: 2,
  unanswered: 2,
  unknown: 3,
  usage: 64,
  failed: 70,
} as const
