import { addressAt, findAddress, isZeroAt, valueAt } from './columns/columns.ts'
import type { Labels } from './figures/labels.ts'
import { readBack } from './readBack.ts'
import type { Address, Heads, ReadOptions, ReceiverQuery, TransferColumns, TransferSource } from './types.ts'

/** Maximum number of relays to read. */
const MAX_RELAYS = 5
/** Transfers from an address at which it counts as an exchange, pool or router: a payment from it proves nothing. */
const HUB_TRANSFERS = 1000
/** Blocks of the first step: about an hour of 2-second blocks, so that a hub is noticed early. */
const FIRST_STEP = 2000

/** Returns the addresses without a label to which the receiver sent most, in value. */
function findRelays(outflows: TransferColumns, receiver: Address, labels: Labels): Address[] {
  const self = findAddress(outflows, receiver)
  const sums = new Map<number, bigint>()
  for (let row = 0; row < outflows.count; row++) {
    const to = outflows.to[row] ?? 0
    if (outflows.from[row] === self && to !== self && !isZeroAt(outflows, row))
      sums.set(to, (sums.get(to) ?? 0n) + valueAt(outflows, row))
  }
  return [...sums]
    .sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))
    .map(([ordinal]) => addressAt(outflows, ordinal))
    .filter((address) => labels(address) === null)
    .slice(0, MAX_RELAYS)
}

/**
 * Reads the finalized transfers from the addresses that a receiver funded, from `floor` on.
 * Leaves out hubs and addresses that the allowance does not suffice to read in full.
 */
export async function readRelayed(
  source: Pick<TransferSource, 'transfers'> & { readonly labels: Labels },
  { token, receiver }: Pick<ReceiverQuery, 'token' | 'receiver'>,
  outflows: TransferColumns,
  { floor, heads }: { readonly floor: number; readonly heads: Heads },
  read: ReadOptions,
): Promise<TransferColumns[]> {
  const toBlock = heads.finalized.number
  const found: TransferColumns[] = []
  if (floor > toBlock) return found
  for (const relay of findRelays(outflows, receiver, source.labels)) {
    const filter = { token, from: relay }
    const query = { filters: [filter], from: toBlock + 1, floor, step: FIRST_STEP, maxRows: HUB_TRANSFERS }
    const { oldest, rows } = await readBack(source, { ...query, heads }, read)
    if (oldest > floor || rows >= HUB_TRANSFERS) continue
    found.push((await source.transfers({ ...filter, fromBlock: floor, toBlock, heads, ...read })).columns)
  }
  return found
}
