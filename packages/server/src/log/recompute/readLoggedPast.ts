import type { LogEntry, LogReader } from '@touchstone402/guard/log'
import {
  type Leaf,
  LogError,
  type Opening,
  openLeaf,
  readLeaf,
  type TreeHead,
} from '@touchstone402/shared/log'
import { z } from 'zod'
import type { Outcome } from '../../domain/facts/facts.ts'
import type { LoggedPrice } from '../../domain/publish/leaves.ts'
import { PricesSchema } from './publishedLines.ts'

/** A decision as the log holds it. */
export type LoggedDecision = { readonly index: number; readonly leaf: Leaf; readonly opening: Opening }

/** The leaf of a host's day, in the form that can be recomputed from. */
export type DayLeaf = z.infer<typeof DayLeafSchema> & { readonly index: number }

/** Everything that a log holds of an endpoint. */
export type LoggedPast = {
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[]
  /** By date. Days that were logged in an older form are left out. */
  readonly days: ReadonlyMap<string, DayLeaf>
  /** Number of the host's days in an older form. */
  readonly olderDays: number
  /** Medians by date and category. */
  readonly prices: ReadonlyMap<string, ReadonlyMap<string | null, LoggedPrice>>
  /** Time of the newest leaf, ISO 8601: until then the service had written. */
  readonly newestAt: string
}

const OUTCOMES = ['up', 'down', 'not_measured'] as const satisfies readonly Outcome[]

const DayLeafSchema = z.object({
  form: z.literal(2),
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
  const prices = new Map<string, Map<string | null, LoggedPrice>>()
  let olderDays = 0
  let newestAt = ''
  for await (const entry of reader.entries(from, head)) {
    const { leaf, opening } = open(entry)
    if (leaf.at > newestAt) newestAt = leaf.at
    if (opening === undefined) continue
    if (leaf.kind === 'decision' && opening.endpoint === endpoint) {
      decisions.push({ index: entry.index, leaf, opening })
    } else if (leaf.kind === 'day' && opening.host === host) {
      const day = DayLeafSchema.safeParse(leaf)
      if (day.success) days.set(day.data.date, { ...day.data, index: entry.index })
      else olderDays++
    } else if (leaf.kind === 'inputs' && typeof leaf.date === 'string') {
      const known = prices.get(leaf.date) ?? new Map<string | null, LoggedPrice>()
      for (const price of readPrices(opening, entry.index)) known.set(price.category, price)
      prices.set(leaf.date, known)
    }
  }
  return { decisions, days, olderDays, prices, newestAt }
}

function open({ leaf: bytes, opening }: LogEntry) {
  const leaf = readLeaf(bytes)
  return { leaf, opening: opening === null ? undefined : openLeaf(leaf, opening) }
}

function readPrices(opening: Opening, index: number): readonly LoggedPrice[] {
  const { success, data, error } = PricesSchema.safeParse(opening)
  if (success) return data.prices
  throw new LogError(
    'malformed_leaf',
    `leaf ${index}: ${error.issues[0]?.path.join('.') ?? 'prices'} is invalid`,
  )
}
