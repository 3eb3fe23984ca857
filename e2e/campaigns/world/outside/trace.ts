import { createHash } from 'node:crypto'

/** Log of a world's events, one a line. Equal seeds give equal traces. */
export type Trace = {
  add(line: string): void
  readonly lines: readonly string[]
  /** Hexadecimal SHA-256 of all lines. */
  hash(): string
}

/** Creates an empty trace. @param now Unix time in ms; lines show the seconds since the first. */
export function createTrace(now: () => number): Trace {
  const lines: string[] = []
  const startedAt = now()
  return {
    lines,
    add(line) {
      lines.push(`${((now() - startedAt) / 1000).toFixed(3)} ${line}`)
    },
    hash: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  }
}
