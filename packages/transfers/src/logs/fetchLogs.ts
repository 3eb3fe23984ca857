import { ChainError } from '../chainError.ts'
import type { AddressTable } from '../columns/addressTable.ts'
import { createColumnBuilder, type EndBlocks } from '../columns/columnBuilder.ts'
import { parseRefusal, type Refusal, type SizeRefusal } from '../rpc/refusal.ts'
import type { Member } from '../rpc/rpcPool.ts'
import { parseBody, RpcFailure, RpcTimeout, readFault, toFailure, toQuantity } from '../rpc/rpcReply.ts'
import { toRequest } from '../rpc/rpcRequest.ts'
import { unreadable } from '../tokenError.ts'
import type { Address, BlockRange, ReadOptions, TransferColumns } from '../types.ts'
import { decodeLogsJson, EVENT_PARTIES, TRANSFER_TOPIC } from './decodeJson.ts'
import { createLogStream } from './logStream.ts'

/** The transfers, deposits and withdrawals of a token, or only the transfers from or to one address. */
export type TransferFilter = {
  readonly token: Address
  readonly from?: Address | undefined
  readonly to?: Address | undefined
}

/** Whether a filter is for all of a token. */
export const isWholeToken = ({ from, to }: TransferFilter): boolean => from === undefined && to === undefined

/** A range that was read in full. */
export type LogPart = {
  readonly range: BlockRange
  /** Ordinal of the RPC. */
  readonly by: number
  readonly columns: TransferColumns
  readonly ends: EndBlocks
  /** Transfers of ERC-721 in the range, which are no rows. */
  readonly nfts: number
  /** Whether another RPC returned no logs either. @default false */
  readonly isEmptyTwice?: boolean
}

/** The logs of a range, or why the range has to be smaller. */
export type FetchResult = { readonly part: LogPart } | { readonly refusal: SizeRefusal }

const TOO_LARGE: FetchResult = { refusal: { kind: 'results', max: null, suggested: null } }
function nullWhenTooLarge(error: unknown): null {
  if (error instanceof ChainError && error.code === 'too_large') return null
  throw error
}
/** Larger bodies are not parsed as JSON. The stream decodes any reply whose logs hold no objects. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

const topicOf = (address: Address | undefined) =>
  address === undefined ? null : `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

// Longer filters match no log with fewer topics, so that events without indexed addresses would stay unseen.
export const topicsOf = (filter: TransferFilter) =>
  isWholeToken(filter)
    ? [[...EVENT_PARTIES.keys()]]
    : [TRANSFER_TOPIC, topicOf(filter.from), topicOf(filter.to)]

const requestOf = (filter: TransferFilter, range: BlockRange) =>
  toRequest('eth_getLogs', [
    {
      address: filter.token,
      fromBlock: toQuantity(range.from),
      toBlock: toQuantity(range.to),
      topics: topicsOf(filter),
    },
  ])

const UNCLEAR = { refusal: { kind: 'unclear', max: null, suggested: null } } as const

function isAboutSize(refusal: Refusal): refusal is SizeRefusal {
  return ['blocks', 'results', 'unclear'].includes(refusal.kind)
}

/** Returns a refusal of the range if the RPC answers another request; else throws the failure. */
async function blameRange(
  member: Member,
  failure: unknown,
  read?: ReadOptions,
): Promise<{ readonly refusal: SizeRefusal }> {
  if (!(failure instanceof RpcTimeout || failure instanceof RpcFailure)) throw failure
  if (failure instanceof RpcTimeout) member.limits.slowRanges++
  const control = await member.call('eth_blockNumber', [], read).catch(() => null)
  if (control === null) throw failure
  return UNCLEAR
}

/**
 * Fetches the transfers of one range from one RPC.
 *
 * A refusal that a smaller range may avoid is a result. Any other failure is thrown, so that the pool falls back to another RPC.
 *
 * @throws RpcFailure, ChainError
 * @throws TokenError if a transfer does not index its addresses
 */
export async function fetchLogs(
  member: Member,
  filter: TransferFilter,
  range: BlockRange,
  addresses: AddressTable,
  read?: ReadOptions,
): Promise<FetchResult> {
  const token = filter.token.slice(2).toLowerCase()
  let builder = createColumnBuilder(addresses)
  const stream = createLogStream(token, builder)
  const reply = await member
    .post(requestOf(filter, range), { ...read, slowRanges: member.limits.slowRanges }, stream)
    .catch(nullWhenTooLarge)
    .catch((error: unknown) => blameRange(member, error, read))
  if (reply === null) return TOO_LARGE
  if ('refusal' in reply) return reply
  let skipped = stream.end()
  if (skipped === null) {
    const body = await reply.readAll().catch(nullWhenTooLarge)
    if (body === null) return TOO_LARGE
    const answer = body.length > MAX_JSON_BYTES ? undefined : parseBody(body)
    const fault = readFault(reply.status, answer, reply.retryAfterMs)
    if (fault !== null) {
      const refusal = parseRefusal(fault)
      if (isAboutSize(refusal)) return { refusal }
      const failure = toFailure(member.ordinal, 'eth_getLogs', fault)
      if (refusal.kind !== 'down') throw failure
      return blameRange(member, failure, read)
    }
    builder = createColumnBuilder(addresses)
    skipped = decodeLogsJson((answer as { result: unknown }).result, token, builder)
  }
  if (skipped.unindexed > 0)
    throw unreadable(filter.token, 'its Transfer events do not index their addresses')
  member.limits.slowRanges = 0
  if (!builder.isOrdered(range))
    throw new ChainError('bad_answer', `RPC ${member.ordinal} returned logs out of order or out of range`)
  return {
    part: {
      range,
      by: member.ordinal,
      ends: builder.ends(),
      columns: builder.finish(),
      nfts: skipped.nft,
    },
  }
}
