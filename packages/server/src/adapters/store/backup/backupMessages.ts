import { join } from 'node:path'
import * as z from 'zod/mini'

/** Request to the process that has a data folder open: one line of JSON. */
export const RequestSchema = z.object({ target: z.string().check(z.minLength(1)) })

/** Response of that process: lines of JSON, the last one with `done` or `error`. */
export const AnswerSchema = z.union([
  z.object({ line: z.string() }),
  z.object({ done: z.object({ bytes: z.number(), ms: z.number() }) }),
  z.object({ error: z.string() }),
])

export type Answer = z.infer<typeof AnswerSchema>

/** Longest path of a Unix socket in bytes on all systems. */
export const MAX_PATH_BYTES = 103

/** Returns the path of the socket of a data folder. */
export function socketPath(directory: string): string {
  return join(directory, 'backup.sock')
}
