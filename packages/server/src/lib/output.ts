/** Where a command prints. */
export type Output = {
  /** Prints a result. */
  out(text: string): void
  /** Prints an error. */
  err(text: string): void
}

/** The streams of this process. */
export const STANDARD_STREAMS: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}
