import { OPERATIONS, type Operation } from '@touchstone402/shared'
import type { Config } from '../config/config.ts'

/** An operation of the contract as this service sells it. */
export type ListedOperation = Omit<Operation, 'priceUsd'> & {
  readonly id: string
  /** Running price in dollars; null if the operation is free. */
  readonly priceUsd: number | null
}

/** Lists the operations of the contract with their running prices. */
export function listOperations({ config }: { readonly config: Pick<Config, 'prices'> }): ListedOperation[] {
  const running: Readonly<Record<string, string | undefined>> = config.prices
  return Object.entries<Operation>(OPERATIONS).map(([id, operation]) => ({
    ...operation,
    id,
    priceUsd: operation.priceUsd === null ? null : Number(running[id]),
  }))
}
