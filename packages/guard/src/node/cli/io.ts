import { readUrl } from '../../readUrl.ts'
import type { FetchLike } from '../../types.ts'

/** Input and output of a command. */
export type Io = {
  out: (line: string) => void
  err: (line: string) => void
  /** Writes bytes to the standard output as they are. Rejects if it is closed. */
  write: (bytes: Uint8Array) => Promise<void>
  /** Reads the standard input to its end. */
  read: () => Promise<Uint8Array>
  /** Whether the standard output is a terminal. */
  isTerminal: boolean
  env: Readonly<Record<string, string | undefined>>
  fetch: FetchLike
}

/** Invalid usage; exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Parses the URL of an endpoint.
 * @throws UsageError
 */
export function readEndpoint(given: string): { given: string; key: string } {
  const url = readUrl(given)
  if (typeof url === 'string') throw new UsageError(`${given}: ${url}`)
  return { given, key: url.key }
}

/** Prints a result as JSON or as lines. */
export function print(
  io: Io,
  { json }: { readonly json: boolean },
  data: unknown,
  lines: readonly string[],
): number {
  for (const line of json ? [JSON.stringify(data)] : lines) io.out(line)
  return EXIT.ok
}

/** Resolves with the signal that ends a command which serves: SIGINT or SIGTERM. */
export const untilStopped = (): Promise<void> =>
  new Promise((stopped) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped())
  })

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
