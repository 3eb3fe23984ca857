import { expect, test } from 'vitest'
import { who } from '../testing/anyRows.ts'
import { columnsOf, type Row } from '../testing/columnsOf.ts'
import { pickLargeSamples } from './fitSample.ts'
import { findLoggedFee } from './loggedFee.ts'

const COLLECTOR = who(0)
/** Transfers of several senders, each with a fee in the same transaction. */
const taxed = (count: number, senders: number, feePpm: (i: number) => bigint, feeFirst = true): Row[] =>
  Array.from({ length: count }, (_, i) => {
    const sent = BigInt(i + 1) * 1_000_000n
    const fee = (sent * feePpm(i)) / 1_000_000n
    const base = { block: 1000 + i, tx: i, from: who(1 + (i % senders)) }
    const pair = [
      { ...base, to: COLLECTOR, value: fee },
      { ...base, to: who(100 + i), value: sent - fee },
    ]
    return feeFirst ? pair : pair.reverse()
  }).flat()

test('default: finds a fee that is a transfer of its own, before or after the other', () => {
  for (const feeFirst of [true, false])
    expect(findLoggedFee(columnsOf(taxed(8, 4, () => 12_500n, feeFirst)))).toEqual({
      feePct: 1.25,
      collector: COLLECTOR,
    })
})

test('behavior: takes neither the fees of a router nor other pairs for a fee of the token', () => {
  const fee = () => 10_000n
  // Two senders only.
  expect(findLoggedFee(columnsOf(taxed(8, 2, fee)))).toBeNull()
  // Another share each time.
  expect(findLoggedFee(columnsOf(taxed(8, 4, (i) => BigInt(1 + i) * 10_000n)))).toBeNull()
  // Equal parts.
  expect(findLoggedFee(columnsOf(taxed(8, 4, () => 500_000n)))).toBeNull()
  const plain = Array.from({ length: 20 }, (_, i) => ({
    block: 2000 + i,
    from: who(i),
    to: who(i + 1),
    value: 5n,
  }))
  expect(findLoggedFee(columnsOf([...taxed(8, 4, fee), ...plain]))).toBeNull()
  expect(findLoggedFee(columnsOf([]))).toBeNull()
})

test('behavior: samples are the largest transfers to addresses that occur once', () => {
  const row = (from: number, to: number, value: bigint): Row => ({
    block: 1000,
    from: who(from),
    to: who(to),
    value,
  })
  const rows = [row(1, 2, 9n), row(2, 3, 8n), row(1, 4, 7n), row(1, 5, 6n), row(1, 6, 0n)]
  const burn = { ...row(1, 2, 99n), to: '0x000000000000000000000000000000000000dead' }
  expect(pickLargeSamples(columnsOf([...rows, burn]))?.map(({ holder, value }) => [holder, value])).toEqual([
    [who(3), 8n],
    [who(4), 7n],
  ])
  expect(pickLargeSamples(columnsOf(rows.slice(0, 2)))).toBeNull()
})
