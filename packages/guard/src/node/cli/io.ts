import type { FetchLike } from '../../types.ts'

/** What a command works with. */
export type Io = {
  out: (line: string) => void
  err: (line: string) => void
  env: Readonly<Record<string, string | undefined>>
  fetch: FetchLike
}

/** Something that the person at the terminal has to put right; exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Exit codes. 0-3 are those of `check`; `pay` and `ledger verify` use 0 and 1. */
export const EXIT = { ok: 0, caution: 1, refused: 1, avoid: 2, unknown: 3, usage: 64, failed: 70 } as const
