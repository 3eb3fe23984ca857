import type { LogReader } from '@touchstone402/guard/log'
import type { Band, VerdictCode } from '@touchstone402/shared'
import { type Term, TermSchema, VERDICTS } from '@touchstone402/shared'
import { openLeaf, readLeaf } from '@touchstone402/shared/leaves'
import type { TreeHead } from '@touchstone402/transparency'
import { z } from 'zod'
import type { Time } from '../../facts/facts.ts'
import { bandOf } from '../../judge/score.ts'
import { check, type DayLeaf, DayLeafSchema } from './readLoggedPast.ts'

/** A decision of the log, without what no count needs. */
export type LoggedVerdict = {
  readonly at: Time
  readonly verdict: VerdictCode
  readonly band: Band | null
  readonly terms: readonly Term[]
}

/** A settled purchase of the log. */
export type LoggedPurchase = { readonly at: Time; readonly endpoint: string; readonly delivered: boolean }

/** Decisions, days and purchases of all endpoints that a log holds. */
export type LoggedVerdicts = {
  /** By endpoint, oldest first. */
  readonly verdicts: ReadonlyMap<string, readonly LoggedVerdict[]>
  /** By host, oldest first. */
  readonly days: ReadonlyMap<string, readonly DayLeaf[]>
  readonly purchases: readonly LoggedPurchase[]
  /** Number of decisions whose opening was deleted: whose they are is not known. */
  readonly forgotten: number
  /** Time of the newest leaf, Unix ms. */
  readonly newestAt: Time
}

const DecisionSchema = z.object({
  at: z.iso.datetime(),
  verdict: z.enum(VERDICTS),
  score: z.exactOptional(z.int().min(0).max(100)),
})
const DecisionOpeningSchema = z.object({ endpoint: z.url(), terms: z.nullish(z.array(TermSchema)) })
const PurchaseSchema = z.object({ at: z.iso.datetime(), settled: z.boolean(), delivered: z.boolean() })

/** Reads all leaves, each checked against the checkpoint by the reader. @throws LogError */
export async function readLoggedVerdicts(reader: LogReader, head: TreeHead): Promise<LoggedVerdicts> {
  const verdicts = new Map<string, LoggedVerdict[]>()
  const days = new Map<string, DayLeaf[]>()
  const purchases: LoggedPurchase[] = []
  let forgotten = 0
  let newestAt = 0
  for await (const { index, leaf: bytes, opening: text } of reader.entries(0, head)) {
    const leaf = readLeaf(bytes)
    newestAt = Math.max(newestAt, Date.parse(leaf.at))
    const opening = text === null ? undefined : openLeaf(leaf, text)
    if (opening === undefined) {
      if (leaf.kind === 'decision') forgotten++
      continue
    }
    if (leaf.kind === 'decision') {
      const { at, verdict, score } = check(DecisionSchema, leaf, index)
      const { endpoint, terms } = check(DecisionOpeningSchema, opening, index)
      const band = score === undefined || verdict === 'unknown' ? null : bandOf(score)
      add(verdicts, endpoint, { at: Date.parse(at), verdict, band, terms: terms ?? [] })
    } else if (leaf.kind === 'day') {
      add(days, String(opening.host), { ...check(DayLeafSchema, leaf, index), index })
    } else if (leaf.kind === 'purchase') {
      const { at, settled, delivered } = check(PurchaseSchema, leaf, index)
      if (settled) purchases.push({ at: Date.parse(at), endpoint: String(opening.endpoint), delivered })
    }
  }
  return { verdicts, days, purchases, forgotten, newestAt }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
