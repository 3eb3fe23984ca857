import type { Address, TransferColumns } from '../types.ts'
import { FLOW_ROWS, measureFlow } from './flowFigures.ts'
import { selectWhales } from './whales.ts'

/** How many times as many addresses as `/flow` lists: the ones that come next may be listed a minute later. */
const AHEAD = 4

/** The addresses that the answers about these transfers show, or soon may; each once. */
export const listShownAddresses = (columns: TransferColumns, decimals: number | null): Address[] => {
  const { accumulators, distributors } = measureFlow(columns, FLOW_ROWS * AHEAD)
  const { addresses } = selectWhales(columns, decimals, undefined)
  return [...new Set([...accumulators, ...distributors].map(({ address }) => address).concat(addresses))]
}
