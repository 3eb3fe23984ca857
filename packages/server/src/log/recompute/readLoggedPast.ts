import type { LogEntry, LogReader } from '@touchstone402/guard/log'
import { type Leaf, type Opening, openLeaf, readLeaf } from '@touchstone402/shared/leaves'
import { LogError, type TreeHead } from '@touchstone402/transparency'
import { z } from 'zod'
import type { Outcome } from '../../facts/facts.ts'

/** A decision as the log holds it. */
export type LoggedDecision = { readonly index: number; readonly leaf: Leaf; readonly opening: Opening }

/** The leaf of a host's day. */
export type DayLeaf = z.infer<typeof DayLeafSchema> & { readonly index: number }

/** Everything that a log holds of an endpoint. */
export type LoggedPast = {
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[]
  /** By date. */
  readonly days: ReadonlyMap<string, DayLeaf>
  /** Time of the newest leaf, ISO 8601: until then the service had written. */
  readonly newestAt: string
}

const OUTCOMES = ['up', 'down', 'not_measured'] as const satisfies readonly Outcome[]

export const DayLeafSchema = z.object({
  date: z.iso.date(),
  count: z.int().min(1),
  looks: z.string(),
  inputs: z.string(),
  control: z.enum(OUTCOMES).nullable(),
})

/**
 * Reads all leaves from one place on and keeps what concerns an endpoint. The reader checks each of them against the
 * checkpoint.
 * @throws LogError
 */
export async function readLoggedPast(
  reader: LogReader,
  head: TreeHead,
  endpoint: string,
  from: number,
): Promise<LoggedPast> {
  const { host } = new URL(endpoint)
  const decisions: LoggedDecision[] = []
  const days = new Map<string, DayLeaf>()
  let newestAt = ''
  for await (const entry of reader.entries(from, head)) {
    const { leaf, opening } = open(entry)
    if (leaf.at > newestAt) newestAt = leaf.at
    if (opening === undefined) continue
    if (leaf.kind === 'decision' && opening.endpoint === endpoint) {
      decisions.push({ index: entry.index, leaf, opening })
    } else if (leaf.kind === 'day' && opening.host === host) {
      const day = check(DayLeafSchema, leaf, entry.index)
      days.set(day.date, { ...day, index: entry.index })
    }
  }
  return { decisions, days, newestAt }
}

function open({ leaf: bytes, opening }: LogEntry) {
  const leaf = readLeaf(bytes)
  return { leaf, opening: opening === null ? undefined : openLeaf(leaf, opening) }
}

/** Parses a part of a leaf or its opening. @throws LogError `malformed_leaf` that names the field */
export function check<T>(schema: z.ZodType<T>, value: unknown, index: number): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const field = error.issues[0]?.path.join('.') || 'a part'
  throw new LogError('malformed_leaf', `leaf ${index}: ${field} is invalid`)
}
