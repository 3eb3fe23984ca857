import { blocksToDate } from './figures/profileReceiver.ts'
import type { ReadOptions, ReceiverFacts, ReceiverQuery, TransferSource } from './types.ts'

const DAY_SECONDS = 86_400
const HISTORY_DAYS = 90

type Reader = Pick<
  TransferSource,
  'heads' | 'blockAtOrBefore' | 'blockTimes' | 'transfers' | 'isContract'
> & {
  block(number: number, options?: ReadOptions): Promise<ReceiverFacts['historyFrom']>
}

/** Reads the facts behind a receiver's profile, all as of one block. */
export async function readReceiverFacts(source: Reader, query: ReceiverQuery): Promise<ReceiverFacts> {
  const { token, receiver, signal, deadlineAt, historyDays = HISTORY_DAYS } = query
  const read = { signal, deadlineAt }
  const asOf = (await source.heads(read)).latest
  const firstWithin = async (days: number): Promise<number> => {
    const since = asOf.time - days * DAY_SECONDS
    const at = await source.blockAtOrBefore(since, read)
    return at.time < since ? at.number + 1 : at.number
  }
  const [block30d, block90d, first] = await Promise.all([
    firstWithin(30),
    firstWithin(90),
    firstWithin(historyDays),
  ])
  const historyFrom = await source.block(Math.min(first, asOf.number), read)
  const range = { token, fromBlock: historyFrom.number, toBlock: asOf.number, ...read }
  const [inward, outward, isContract] = await Promise.all([
    source.transfers({ ...range, to: receiver }),
    source.transfers({ ...range, from: receiver }),
    source.isContract(receiver, read),
  ])
  const found = { receiver, receipts: inward.columns, outflows: outward.columns }
  const blockTimes = await source.blockTimes(blocksToDate(found), read)
  return { ...found, isContract, asOf, historyFrom, block30d, block90d, blockTimes }
}
