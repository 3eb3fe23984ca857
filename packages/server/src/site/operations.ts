import { OPERATIONS, type Operation } from '@touchstone402/shared'
import type { PageDeps } from './pageDeps.ts'

/** An operation of the contract as this service sells it. */
export type ListedOperation = Omit<Operation, 'priceUsd'> & {
  readonly id: string
  /** Running price in dollars; null if the operation is free. */
  readonly priceUsd: number | null
}

/** Lists the operations of the contract with their running prices. */
export function listOperations({ prices }: Pick<PageDeps, 'prices'>): ListedOperation[] {
  const running: Readonly<Record<string, string | undefined>> = prices
  return Object.entries<Operation>(OPERATIONS).map(([id, operation]) => ({
    ...operation,
    id,
    priceUsd: operation.priceUsd === null ? null : Number(running[id]),
  }))
}
