import { ChainError } from '../chainError.ts'
import type { AddressTable } from '../columns/addressTable.ts'
import { createColumnBuilder, type EndBlocks } from '../columns/columnBuilder.ts'
import { parseRefusal, type Refusal } from '../rpc/refusal.ts'
import { parseBody, RpcUnwell, readFault } from '../rpc/rpcEndpoint.ts'
import type { Member } from '../rpc/rpcPool.ts'
import type { Address, BlockRange, ReadOptions, TransferColumns } from '../types.ts'
import { decodeLogsJson, TRANSFER_TOPIC } from './decodeJson.ts'
import { createLogStream } from './logStream.ts'

/** Which transfers: a token's, or those from or to one address. */
export type TransferFilter = {
  readonly token: Address
  readonly from?: Address | undefined
  readonly to?: Address | undefined
}

/** A range read in full. */
export type LogPart = {
  readonly range: BlockRange
  readonly columns: TransferColumns
  readonly ends: EndBlocks
}

type SizeRefusal = Extract<Refusal, { kind: 'blocks' | 'results' }>
export type FetchResult = { readonly part: LogPart } | { readonly refusal: SizeRefusal }

const TOO_LARGE: FetchResult = { refusal: { kind: 'results', max: null, suggested: null } }
const nullWhenTooLarge = (error: unknown): null => {
  if (error instanceof ChainError && error.code === 'too_large') return null
  throw error
}
/** Bodies above this are not worth a string: the fast decoder takes any honest one. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

const toHex = (value: number) => `0x${value.toString(16)}`
const topicOf = (address: Address | undefined) =>
  address === undefined ? null : `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

const parametersOf = (filter: TransferFilter, range: BlockRange) => [
  {
    address: filter.token,
    fromBlock: toHex(range.from),
    toBlock: toHex(range.to),
    topics: [TRANSFER_TOPIC, topicOf(filter.from), topicOf(filter.to)],
  },
]

/**
 * Asks one RPC for the transfers in one range.
 *
 * A refusal because of size is an answer; any other failure is thrown, so that the pool asks another RPC.
 *
 * @throws RpcUnwell, ChainError
 */
export const fetchLogs = async (
  member: Member,
  filter: TransferFilter,
  range: BlockRange,
  addresses: AddressTable,
  read?: ReadOptions,
): Promise<FetchResult> => {
  const token = filter.token.slice(2).toLowerCase()
  const builder = createColumnBuilder(addresses)
  const stream = createLogStream(token, builder)
  const reply = await member
    .post('eth_getLogs', parametersOf(filter, range), read, stream)
    .catch(nullWhenTooLarge)
  if (reply === null) return TOO_LARGE
  let ends = stream.end()
  if (ends === null) {
    const body = await reply.readAll().catch(nullWhenTooLarge)
    if (body === null) return TOO_LARGE
    const answer = body.length > MAX_JSON_BYTES ? undefined : parseBody(body)
    const fault = readFault(reply, answer)
    if (fault !== null) {
      const refusal = parseRefusal(fault)
      if (refusal.kind === 'blocks' || refusal.kind === 'results') return { refusal }
      throw new RpcUnwell(
        `RPC ${member.ordinal} refused eth_getLogs: ${fault.message}`,
        reply.retryAfterMs ?? 0,
        fault,
      )
    }
    ends = decodeLogsJson((answer as { result: unknown }).result, token, builder)
  }
  if (!builder.isOrdered(0, range))
    throw new ChainError('bad_answer', `RPC ${member.ordinal} answered logs out of order or out of range`)
  return { part: { range, columns: builder.finish(), ends } }
}
