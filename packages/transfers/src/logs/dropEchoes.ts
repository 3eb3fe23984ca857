import { findAddress, findZero, hasSupplyLogs, isSupplyLogAt, valueAt } from '../columns/columns.ts'
import { mapColumns } from '../columns/rowStore.ts'
import type { Address, TransferColumns } from '../types.ts'

/**
 * Removes deposits and withdrawals that a transfer of the same transaction states as well: a mint or burn of the same
 * amount, or the token paid into its own contract (staking) and back. What is left changes the supply.
 */
export function dropEchoes(columns: TransferColumns, token: Address): TransferColumns {
  const { count, tx, from, to } = columns
  if (!hasSupplyLogs(columns)) return columns
  const zero = findZero(columns)
  const self = findAddress(columns, token.toLowerCase())
  const kept: number[] = []
  for (let start = 0, end = 0; start < count; start = end) {
    while (end < count && tx[end] === tx[start]) end++
    const rows = Array.from({ length: end - start }, (_, i) => start + i)
    const supply = rows.filter((row) => isSupplyLogAt(columns, row))
    if (supply.length === 0) {
      for (const row of rows) kept.push(row)
      continue
    }
    const moves = new Map<string, number>()
    const keyOf = (sender = -1, recipient = -1, row = 0) => `${sender} ${recipient} ${valueAt(columns, row)}`
    for (const row of rows)
      if (!isSupplyLogAt(columns, row)) {
        const key = keyOf(from[row], to[row], row)
        moves.set(key, (moves.get(key) ?? 0) + 1)
      }
    const isEcho = (row: number): boolean => {
      const isDeposit = from[row] === zero
      const paid = isDeposit ? keyOf(to[row], self, row) : keyOf(self, from[row], row)
      const key = [keyOf(from[row], to[row], row), paid].find((each) => (moves.get(each) ?? 0) > 0)
      if (key !== undefined) moves.set(key, (moves.get(key) ?? 0) - 1)
      return key !== undefined
    }
    for (const row of rows) if (!isSupplyLogAt(columns, row) || !isEcho(row)) kept.push(row)
  }
  return kept.length === count ? columns : pickRows(columns, kept)
}

function pickRows(columns: TransferColumns, rows: readonly number[]): TransferColumns {
  const wide = rows.flatMap((row, i): [number, bigint][] => {
    const value = columns.wideValues.get(row)
    return value === undefined ? [] : [[i, value]]
  })
  return {
    ...columns,
    ...mapColumns(columns, (column) => {
      const picked = column.slice(0, rows.length) as typeof column
      rows.forEach((row, i) => {
        picked[i] = column[row] ?? 0
      })
      return picked
    }),
    count: rows.length,
    wideValues: new Map(wide),
  }
}
