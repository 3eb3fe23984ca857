import { type ParseArgsConfig, parseArgs } from 'node:util'
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

/** Values of options; the usage of a command names those that it takes. */
type Values = Readonly<
  Record<
    'service' | 'policy' | 'ledger' | 'method' | 'data' | 'data-binary' | 'max-usd' | 'port' | 'clear',
    string | undefined
  > &
    Record<'file' | 'key' | 'quorum' | 'memory' | 'out' | 'from' | 'to', string | undefined> &
    Record<'files' | 'folder' | 'socket' | 'group' | 'token-file', string | undefined> &
    Record<'json' | 'csv' | 'sarif' | 'resume' | 'sign' | 'refuse' | 'show', boolean | undefined> &
    Record<'allow-private-hosts', boolean | undefined> &
    Record<'header' | 'witness' | 'task' | 'allow-host' | 'rpc', string[] | undefined>
>

/** A command line without the name of its command. */
export type CommandLine = { values: Values; positionals: string[] }

/** Parses a command line by the usage of its command, such as `pins [--clear <host>] [--json]`. */
export function readLine(usage: string, args: string[]): CommandLine {
  const options: NonNullable<ParseArgsConfig['options']> = {}
  const rest = usage.replaceAll(
    /\[?--([a-z-]+)( ['<][^\]>]*>?[^\] ]*)?(\]\.\.\.)?/g,
    (_, name, value, isList) => {
      options[name] = { type: value === undefined ? 'boolean' : 'string', multiple: isList !== undefined }
      return ''
    },
  )
  const { values, positionals } = parseArgs({ args, options, allowPositionals: rest.includes('<') })
  return { values: values as Values, positionals }
}

/**
 * Parses the one URL argument of a command.
 * @throws UsageError
 */
export function readEndpoint(command: string, [given, ...others]: string[]): { given: string; key: string } {
  if (given === undefined || others.length > 0)
    throw new UsageError(`Expected one URL: npx @touchstone402/guard ${command} <url>`)
  const url = readUrl(given)
  if (typeof url === 'string') throw new UsageError(`${given}: ${url}`)
  return { given, key: url.key }
}

/** Prints a result as JSON or as lines. */
export function print(io: Io, { json }: Values, data: unknown, lines: readonly string[]): number {
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
