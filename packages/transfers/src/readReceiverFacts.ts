import { numberToHex } from 'viem'
import type { Labels } from './figures/labels.ts'
import { blocksToDate } from './figures/profileReceiver.ts'
import { sumAll } from './figures/sums.ts'
import type { TransferFilter } from './logs/fetchLogs.ts'
import { readBack } from './readBack.ts'
import { type KnownFunders, readFunders } from './readFunders.ts'
import { readRelayed } from './readRelayed.ts'
import { readSanctions } from './rpc/sanctionsReader.ts'
import type { Address, BlockRef, ReadOptions, ReceiverFacts, ReceiverQuery, TransferSource } from './types.ts'

const DAY_SECONDS = 86_400
/** Blocks of the first step back beyond `historyDays`: eleven days of 2-second blocks. */
const FIRST_STEP = 500_000
/** Rows of older blocks that are read in one step, if the recent blocks let expect no more. */
const SPARSE_ROWS = 5_000
/** Rows of a history at which older blocks are not read. */
const MAX_HISTORY_ROWS = 50_000

type Reader = TransferSource & {
  readonly labels: Labels
  block(number: number, options?: ReadOptions): Promise<BlockRef>
  readonly knownFunders: KnownFunders
  /** Returns the first of the blocks that are cached without a gap up to `block`; `block + 1` if none is. */
  heldFrom(filter: TransferFilter, block: number): Promise<number>
}

/** Reads the facts behind a receiver's profile, all as of one block. */
export async function readReceiverFacts(source: Reader, query: ReceiverQuery): Promise<ReceiverFacts> {
  const { token, receiver, signal, deadlineAt, purpose } = query
  const { historyDays, sanctionsOracle, ignoredPayers } = query
  const read = { signal, deadlineAt, purpose }
  const heads = await source.heads(read)
  const asOf = heads.latest
  const findFirst = async (days: number): Promise<number> =>
    (await source.firstBlockAfter(asOf.time - days * DAY_SECONDS - 1, heads, read)).number
  const block90d = await findFirst(90)
  const block30d = await findFirst(30)
  const first = historyDays === 90 ? block90d : await findFirst(historyDays)
  const filters = [
    { token, to: receiver },
    { token, from: receiver },
  ] as const
  const readFrom = async (fromBlock: number) => {
    const range = { fromBlock, toBlock: asOf.number, heads, ...read }
    const [inward, outward] = await Promise.all([
      source.transfers({ ...filters[0], ...range }),
      source.transfers({ ...filters[1], ...range }),
    ])
    return { receiver, ignoredPayers, receipts: inward.columns, outflows: outward.columns }
  }
  const before = Math.min(first, asOf.number) - 1
  const held = Math.max(...(await Promise.all(filters.map((filter) => source.heldFrom(filter, before)))))
  let found = await readFrom(held)
  // The rest of the time is for the reads that the facts need.
  const spareUntil = deadlineAt && (Date.now() + deadlineAt) / 2
  const spare = { ...read, deadlineAt: spareUntil, allowance: { left: query.spareRequests ?? 0 } }
  const relayed = await readRelayed(source, query, found.outflows, { floor: block90d, heads }, spare)
  const maxRows = MAX_HISTORY_ROWS - found.receipts.count - found.outflows.count
  const rows = found.receipts.count + found.outflows.count
  // As many rows a block as in the recent ones would be few: one step saves requests.
  const isSparse = rows * held <= SPARSE_ROWS * (asOf.number - held)
  const back = { filters, from: held, floor: 0, step: isSparse ? held : FIRST_STEP, maxRows, heads }
  const { oldest } = await readBack(source, back, spare)
  if (oldest < held) found = await readFrom(oldest)
  const funders = await readFunders(
    source,
    query,
    found.receipts,
    { heads, known: source.knownFunders },
    spare,
  )
  const [isContract, isSanctioned, balance, historyFrom, blockTimes] = await Promise.all([
    source.isContract(receiver, read),
    sanctionsOracle === undefined
      ? null
      : readSanctions(source, sanctionsOracle, receiver, asOf.number, read),
    oldest === 0
      ? source.balanceAt({ token, holder: receiver, block: asOf.number, ...read }).catch(() => null)
      : null,
    source.block(oldest, read),
    source.blockTimes(blocksToDate(found), read),
  ])
  // An RPC that has pruned its logs may answer without them and without an error.
  const addsUp = balance === sumAll(found.receipts) - sumAll(found.outflows)
  const isEmpty = found.receipts.count === 0 && found.outflows.count === 0
  const isWhole =
    oldest === 0 && addsUp && !(isEmpty && (isContract || (await hasSent(source, receiver, asOf, read))))
  return {
    ...found,
    relayed,
    funders,
    isContract,
    isSanctioned,
    asOf,
    historyFrom,
    isWhole,
    block30d,
    block90d,
    blockTimes,
  }
}

/** Whether an account may have sent a transaction, so that a balance of zero may be what is left. */
async function hasSent(source: Reader, receiver: Address, { number }: BlockRef, read: ReadOptions) {
  const params = [receiver, numberToHex(number)]
  const sent = source.request('eth_getTransactionCount', params, read)
  return (await sent.catch(() => null)) !== '0x0'
}
