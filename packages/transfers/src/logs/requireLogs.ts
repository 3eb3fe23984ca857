import type { AddressTable } from '../columns/addressTable.ts'
import { createColumnBuilder } from '../columns/columnBuilder.ts'
import type { Member } from '../rpc/rpcPool.ts'
import { RpcFailure, toQuantity } from '../rpc/rpcReply.ts'
import type { BlockRange, BlockRef, Heads, ReadOptions } from '../types.ts'
import { decodeLogsJson } from './decodeJson.ts'
import { isWholeToken, type LogPart, type TransferFilter, topicsOf } from './fetchLogs.ts'

/** Checks that the logs of an RPC reach as far as its head. */
export type LogProof = {
  /** Requires that the RPC has logs up to the end of a range. @throws RpcFailure if it has not */
  requireReach(member: Member, range: BlockRange): Promise<void>
  /** Requires that a part ends with the rows that the hash of its block gives. @throws RpcFailure if it does not */
  requireEnd(member: Member, part: LogPart): void
}

/** Blocks below the head that a node may be behind. Older ones need no proof. */
const RECENT = 5_000

/**
 * Creates the checks of one reading. A node that is behind answers a range beyond its head with fewer logs and no error,
 * even where another node behind the same URL answers with the head. To a block hash that it does not know it answers
 * with an error (EIP-234), so the newest block is read by its hash as well.
 */
export function createLogProof(
  filter: TransferFilter,
  { latest, finalized }: Pick<Heads, 'latest' | 'finalized'>,
  addresses: AddressTable,
  read: ReadOptions,
): LogProof {
  const newest = new Map<Member, Promise<number | null>>()

  /** Returns the number of rows of a block; null if the block was replaced, which its caller finds out. */
  const readRows = async (member: Member, head: BlockRef): Promise<number | null> => {
    const params = [{ address: filter.token, topics: topicsOf(filter), blockHash: head.hash }]
    const logs = await member.call('eth_getLogs', params, read).catch(async (error: unknown) => {
      if (!(error instanceof RpcFailure)) throw error
      if (await wasReplaced(member, head, read)) return null
      throw new RpcFailure(`The logs of RPC ${member.ordinal} lag: block ${head.number} is missing`, 0)
    })
    if (logs === null) return null
    const builder = createColumnBuilder(addresses)
    decodeLogsJson(logs, filter.token.slice(2).toLowerCase(), builder)
    member.logsSeen = Math.max(member.logsSeen, head.number)
    return builder.finish().count
  }

  /** Whether an RPC has the logs of a block is the same for every filter: readings at the same time share the question. */
  const readReach = async (member: Member, head: BlockRef): Promise<void> => {
    const shared = member.reaching.get(head.hash)
    // A failure of another reading may be due to its limits.
    if (shared !== undefined && (await shared.catch(() => false)) !== false) return
    if (head.number <= member.logsSeen) return
    const asked = readRows(member, head).finally(() => member.reaching.delete(head.hash))
    member.reaching.set(head.hash, asked)
    await asked
  }

  const readNewest = (member: Member): Promise<number | null> => {
    const rows = newest.get(member) ?? readRows(member, latest)
    newest.set(member, rows)
    return rows
  }

  const known = new Map<Member, number | null>()
  return {
    async requireReach(member, { to }) {
      if (to <= latest.number - RECENT) return
      if (to === latest.number && isWholeToken(filter)) {
        known.set(member, await readNewest(member))
      } else if (to > member.logsSeen) {
        await readReach(member, to <= finalized.number ? finalized : latest)
      }
    },
    requireEnd(member, { range, columns }) {
      const expected = range.to === latest.number ? (known.get(member) ?? null) : null
      if (expected === null) return
      let rows = 0
      while (rows < columns.count && columns.block[columns.count - 1 - rows] === latest.number) rows++
      if (rows === expected) return
      throw new RpcFailure(
        `RPC ${member.ordinal} returned ${rows} of ${expected} transfers in block ${latest.number}`,
        0,
      )
    },
  }
}

async function wasReplaced(member: Member, { number, hash }: BlockRef, read: ReadOptions): Promise<boolean> {
  const block = await member.call('eth_getBlockByNumber', [toQuantity(number), false], read)
  const found = (block as { hash?: unknown } | null)?.hash
  return typeof found === 'string' && found.toLowerCase() !== hash
}
