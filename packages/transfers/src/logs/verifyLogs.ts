import type { AddressTable } from '../columns/addressTable.ts'
import type { Member, RpcPool } from '../rpc/rpcPool.ts'
import type { BlockRange, ReadOptions } from '../types.ts'
import { type FetchResult, fetchLogs, type LogPart, type TransferFilter } from './fetchLogs.ts'

const LEAST_CUT = 50
const ROUND = 100

/** Whether a count looks like the place where an RPC cuts its answers without a word. */
const looksCut = (rows: number, member: Member): boolean =>
  rows >= member.lesson.cutsAt || (rows >= LEAST_CUT && rows % ROUND === 0)

const rowsFrom = ({ columns }: LogPart, block: number): number => {
  let rows = 0
  for (let i = columns.count - 1; i >= 0 && (columns.block[i] ?? 0) >= block; i--) rows++
  return rows
}

/**
 * Asks for the end of a range again when its number of rows is one at which RPCs are known to cut; when more
 * comes than was there, the range counts as refused, and the RPC as one that cuts there.
 */
export const refuseCutAnswer = async (
  member: Member,
  filter: TransferFilter,
  part: LogPart,
  addresses: AddressTable,
  read?: ReadOptions,
): Promise<FetchResult> => {
  const { columns, range } = part
  const rows = columns.count
  if (!looksCut(rows, member) || range.from === range.to) return { part }
  const refused: FetchResult = { refusal: { kind: 'results', max: Math.max(1, rows - 1), suggested: null } }
  if (rows >= member.lesson.cutsAt) return refused
  const last = columns.block[rows - 1] ?? range.to
  const rest: BlockRange = { from: last > range.from ? last : last + 1, to: range.to }
  if (rest.from > rest.to) return { part }
  const again = await fetchLogs(member, filter, rest, addresses, read)
  if ('part' in again && again.part.columns.count === rowsFrom(part, rest.from)) return { part }
  member.lesson.cutsAt = rows
  return refused
}

/**
 * Asks a second RPC, where there is one, before an empty range is believed: a node without an index, or one
 * that is behind, answers "nothing" without an error.
 */
export const doubtEmptyAnswer = async (
  pool: RpcPool,
  member: Member,
  filter: TransferFilter,
  part: LogPart,
  addresses: AddressTable,
  read?: ReadOptions,
): Promise<FetchResult> => {
  if (part.columns.count > 0 || pool.size < 2) return { part }
  const second = await pool
    .use((other) => fetchLogs(other, filter, part.range, addresses, read), { ...read, except: member })
    // The other is away: one RPC is then all there is.
    .catch(() => null)
  if (second === null || ('part' in second && second.part.columns.count === 0)) return { part }
  return second
}
