import { expect, test } from 'vitest'
import { SUPPLY_LOG, valueAt } from '../columns/columns.ts'
import { who, ZERO } from '../testing/anyRows.ts'
import { columnsOf, type Row } from '../testing/columnsOf.ts'
import { dropEchoes } from './dropEchoes.ts'

const TOKEN = `0x${'7'.repeat(40)}` as const
type Log = Row & { readonly isSupply?: boolean }
const transfer = (tx: number, from: string, to: string, value: bigint): Log => ({
  block: 1000 + tx,
  tx,
  from,
  to,
  value,
})
const supply = (...args: Parameters<typeof transfer>): Log => ({ ...transfer(...args), isSupply: true })

/** Returns the values that are left. */
function leftOf(logs: readonly Log[]) {
  const columns = columnsOf(logs)
  const logIndex = columns.logIndex.map((index, i) => index + (logs[i]?.isSupply ? SUPPLY_LOG : 0))
  const left = dropEchoes({ ...columns, logIndex }, TOKEN)
  return Array.from({ length: left.count }, (_, row) => valueAt(left, row))
}

test('default: keeps deposits and withdrawals that no transfer states', () => {
  const wide = 2n ** 200n
  expect(
    leftOf([
      supply(1, ZERO, who(1), 5n),
      transfer(1, who(1), who(2), 5n),
      supply(2, who(1), ZERO, wide),
      transfer(3, ZERO, who(1), 7n),
    ]),
  ).toEqual([5n, 5n, wide, 7n])
})

test('behavior: removes what a mint, a burn or a payment to the token itself states as well, once each', () => {
  expect(
    leftOf([
      transfer(1, ZERO, who(1), 5n),
      supply(1, ZERO, who(1), 5n),
      supply(1, ZERO, who(1), 5n),
      supply(2, who(1), ZERO, 2n ** 200n),
      transfer(2, who(1), ZERO, 2n ** 200n),
      transfer(3, who(1), TOKEN, 6n),
      supply(3, ZERO, who(1), 6n),
      transfer(4, TOKEN, who(1), 8n),
      supply(4, who(1), ZERO, 8n),
    ]),
  ).toEqual([5n, 5n, 2n ** 200n, 6n, 8n])
})

test('behavior: a transfer of another transaction, amount or holder hides no deposit', () => {
  const deposit = supply(2, ZERO, who(1), 5n)
  for (const other of [
    transfer(1, ZERO, who(1), 5n),
    transfer(2, ZERO, who(1), 6n),
    transfer(2, ZERO, who(2), 5n),
    transfer(2, who(1), who(2), 5n),
    transfer(2, who(3), TOKEN, 5n),
  ])
    expect(leftOf([other, deposit])).toHaveLength(2)
})
