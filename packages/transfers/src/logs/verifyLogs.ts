import { ChainError } from '../chainError.ts'
import type { Member, RpcPool } from '../rpc/rpcPool.ts'
import type { BlockRange, ReadOptions } from '../types.ts'
import type { FetchResult, LogPart } from './fetchLogs.ts'

/** Fetches the logs of one range from one RPC. */
export type FetchRange = (member: Member, range: BlockRange) => Promise<FetchResult>

const MIN_CUT = 50
const ROUND = 100

/** Whether a number of rows is one at which RPCs silently truncate replies. */
const looksCut = (rows: number, member: Member): boolean =>
  rows >= member.limits.cutsAt || (rows >= MIN_CUT && rows % ROUND === 0)

function rowsFrom({ columns }: LogPart, block: number): number {
  let rows = 0
  for (let i = columns.count - 1; i >= 0 && (columns.block[i] ?? 0) >= block; i--) rows++
  return rows
}

/**
 * Fetches the end of a suspiciously round reply again. If it holds more rows than before, the reply was truncated:
 * the range counts as refused, and the limit of the RPC is noted.
 */
export async function rejectCutReply(member: Member, part: LogPart, fetch: FetchRange): Promise<FetchResult> {
  const { columns, range } = part
  const rows = columns.count
  if (!looksCut(rows, member) || range.from === range.to) return { part }
  const refused: FetchResult = { refusal: { kind: 'results', max: Math.max(1, rows - 1), suggested: null } }
  if (rows >= member.limits.cutsAt) return refused
  const last = columns.block[rows - 1] ?? range.to
  const rest: BlockRange = { from: last > range.from ? last : last + 1, to: range.to }
  if (rest.from > rest.to) return { part }
  const again = await fetch(member, rest)
  if ('part' in again && again.part.columns.count === rowsFrom(part, rest.from)) return { part }
  member.limits.cutsAt = rows
  return refused
}

/** Confirms an empty reply with a second RPC: a node without an index, or one that lags, returns no logs and no error. */
export async function confirmEmptyReply(
  pool: RpcPool,
  member: Member,
  part: LogPart,
  fetch: FetchRange,
  read?: ReadOptions,
): Promise<FetchResult> {
  if (part.columns.count > 0 || pool.size < 2) return { part }
  const second = await pool
    .use((other) => fetch(other, part.range), { ...read, except: member })
    // Without a second answer the first one stands, unless there was no time for one: it would be cached unconfirmed.
    .catch((error: unknown) => {
      if (error instanceof ChainError && error.code === 'deadline') throw error
      return null
    })
  if (second === null) return { part }
  if ('part' in second && second.part.columns.count === 0) return { part: { ...part, isEmptyTwice: true } }
  // Words that are not understood say nothing about the first RPC.
  return 'refusal' in second && second.refusal.kind === 'unclear' ? { part } : second
}
