import { expect, test } from 'vitest'
import { who, ZERO } from '../testing/anyRows.ts'
import { columnsOf, type Row } from '../testing/columnsOf.ts'
import type { TransferColumns } from '../types.ts'
import { createRanks } from './ranks.ts'
import { roundTripVolume } from './roundTrips.ts'

const row = (from: number, to: number, value: bigint, block = 1000): Row => ({
  block,
  from: who(from),
  to: who(to),
  value,
})
const measure = (columns: TransferColumns) => roundTripVolume(columns, createRanks(columns))
const volumeOf = (rows: readonly Row[]) => measure(columnsOf(rows))

test('default: finds a ring of three that is spread over 20 transactions', () => {
  const ring = Array.from({ length: 20 }, (_, i) => row(i % 3, (i + 1) % 3, 10n, 1000 + i))
  // 7, 7 and 6 transfers: six rounds came back.
  expect(volumeOf(ring)).toBe(180n)
  expect(volumeOf([...ring, row(1, 9, 500n), row(9, 8, 400n)])).toBe(180n)
})

test('behavior: takes what came back in pairs first, and counts no transfer twice', () => {
  expect(volumeOf([row(1, 1, 7n)])).toBe(7n)
  expect(volumeOf([row(1, 2, 7n), row(2, 1, 5n, 1500)])).toBe(10n)
  // Two of 1 to 2 come back directly, three more over 3.
  expect(volumeOf([row(1, 2, 5n), row(2, 1, 2n), row(2, 3, 9n), row(3, 1, 9n)])).toBe(4n + 9n)
  // Two rings share one edge of 5.
  expect(volumeOf([row(1, 2, 5n), row(2, 3, 4n), row(3, 1, 4n), row(2, 4, 4n), row(4, 1, 4n)])).toBe(15n)
})

test('behavior: neither rings of four nor mints and burns of one holder are round trips', () => {
  expect(volumeOf([row(1, 2, 5n), row(2, 3, 5n), row(3, 4, 5n), row(4, 1, 5n)])).toBe(0n)
  const mint = { ...row(1, 1, 5n), from: ZERO }
  expect(volumeOf([mint, { ...row(1, 1, 5n), to: ZERO }])).toBe(0n)
  expect(volumeOf([mint, row(1, 2, 5n), { ...row(2, 2, 5n), to: ZERO }])).toBe(0n)
})

test('behavior: honest sellers and their buyers have no round trips, whichever addresses join', () => {
  // Buyers pay a seller, who pays a supplier.
  const honest = Array.from({ length: 50 }, (_, i) => [row(100 + i, 1, 3n), row(1, 2, 2n)]).flat()
  expect(volumeOf(honest)).toBe(0n)
  // A rival's ring through the seller takes out no more than the rival put in.
  const rival = [row(7, 1, 3n), row(8, 7, 2n), row(2, 8, 1n)]
  expect(volumeOf([...honest, ...rival])).toBe(0n)
})

test('behavior: who buys at a pool and sells there again washed nothing', () => {
  const pool = 1
  const trades = Array.from({ length: 60 }, (_, i) => [row(100 + i, pool, 3n), row(pool, 100 + i, 2n)]).flat()
  expect(volumeOf(trades)).toBe(0n)
  // Beside it, what 7 and 8 sent each other still shows, but not what went through the pool.
  const ring = [row(7, 8, 5n), row(8, 9, 5n), row(9, 7, 5n)]
  expect(volumeOf([...trades, ...ring, row(7, pool, 9n), row(pool, 8, 9n), row(8, 7, 9n)])).toBe(10n)
})

test('behavior: the order in which addresses were first read does not matter', () => {
  const rows = Array.from({ length: 300 }, (_, i) =>
    row((i * 7) % 13, (i * 5 + 3) % 13, BigInt(1 + ((i * 31) % 97))),
  )
  const columns = columnsOf(rows)
  const { addressCount } = columns
  const turned = (column: Uint32Array) => column.map((ordinal) => addressCount - 1 - ordinal)
  const words = Array.from({ length: addressCount }, (_, i) =>
    columns.addressWords.subarray((addressCount - 1 - i) * 5, (addressCount - i) * 5),
  )
  const other: TransferColumns = {
    ...columns,
    from: turned(columns.from),
    to: turned(columns.to),
    addressWords: Uint32Array.from(words.flatMap((part) => [...part])),
  }
  expect(measure(columns)).toBeGreaterThan(0n)
  expect(measure(other)).toBe(measure(columns))
})

test('behavior: a window of 600,000 transfers is searched among its largest, in bounded time', () => {
  const count = 600_000
  const dust = columnsOf([row(1, 2, 7n), row(2, 3, 7n), row(3, 1, 7n), row(4, 5, 1n), row(5, 4, 1n)])
  // The ring of three at the end, after dust between two addresses.
  const fill = (of: Uint32Array) =>
    Uint32Array.from({ length: count }, (_, i) => of[i < count - 3 ? 3 + (i % 2) : i - count + 3] ?? 0)
  const columns: TransferColumns = {
    ...dust,
    count,
    block: new Uint32Array(count).fill(1000),
    logIndex: Uint32Array.from({ length: count }, (_, i) => i),
    tx: new Uint32Array(count),
    from: fill(dust.from),
    to: fill(dust.to),
    valueLow: new Float64Array(count).fill(1).fill(7, count - 3),
    valueHigh: new Float64Array(count),
  }
  // 499,997 rows of dust are searched: as many pairs as fit.
  expect(measure(columns)).toBe(21n + 499_996n)
})
