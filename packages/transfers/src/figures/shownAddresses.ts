import type { Address, TransferColumns } from '../types.ts'
import { FLOW_ROWS, measureFlow } from './flowFigures.ts'
import { selectWhales } from './whales.ts'

/** Factor of addresses beyond those `/flow` lists: the next ones may be listed a minute later. */
const AHEAD = 4

/** Lists the distinct addresses that answers about these transfers show, or may show soon. */
export function listShownAddresses(columns: TransferColumns, decimals: number | null): Address[] {
  const { accumulators, distributors } = measureFlow(columns, FLOW_ROWS * AHEAD)
  const { addresses } = selectWhales(columns, decimals, undefined)
  return [...new Set([...accumulators, ...distributors].map(({ address }) => address).concat(addresses))]
}
