import { fuzzRuns } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockRange, TransferColumns } from '../types.ts'
import { createAddressTable } from './addressTable.ts'
import { createColumnBuilder } from './columnBuilder.ts'
import { txHashAt, valueAt } from './columns.ts'
import { createRowBuffer } from './rowBuffer.ts'
import { joinSlices, type Slice, sliceRange } from './rowStore.ts'

const BLOCKS = 60

/** Builds rows: every seventh value is wide, two rows per transaction. */
function chainOf(perBlock: readonly number[]) {
  const addresses = createAddressTable(7)
  const columnsOf = ({ from, to }: BlockRange): TransferColumns => {
    const builder = createColumnBuilder(addresses)
    for (let block = from; block <= to; block++)
      for (let row = 0; row < (perBlock[block] ?? 0); row++) {
        const parties = [0, 0, 0, 0, block % 9, 0, 0, 0, 0, row]
        const isWide = (block + row) % 7 === 0
        const value = isWide ? [0, 256, 0, 0, 0, 0, 0, 0] : [0, 0, 0, 0, 0, 0, row, block]
        const txHash = [block, row >> 1, 0, 0, 0, 0, 0, 1]
        const words = Int32Array.from([...parties, ...value, ...txHash, ...new Array(8).fill(0)])
        builder.push({ block, logIndex: row, words })
      }
    return builder.finish()
  }
  return { addresses, columnsOf }
}

const rowsOf = (columns: TransferColumns) =>
  Array.from({ length: columns.count }, (_, row) => [
    columns.block[row],
    columns.logIndex[row],
    txHashAt(columns, columns.tx[row] ?? -1),
    columns.from[row],
    columns.to[row],
    valueAt(columns, row),
  ])

describe('createRowBuffer', () => {
  test('default: returns the rows of a range', () => {
    const { addresses, columnsOf } = chainOf([3, 0, 2, 1])
    const buffer = createRowBuffer(addresses)
    const columns = columnsOf({ from: 0, to: 3 })
    const view = buffer.view({ from: 2, to: 3 }, [sliceRange(columns, { from: 2, to: 3 })])
    expect(rowsOf(view)).toEqual(rowsOf(columns).slice(3))
  })

  test('behavior: views that slide, jump and overlap equal copies of the same rows', () => {
    const windows = fc.array(
      fc.tuple(fc.nat({ max: BLOCKS - 1 }), fc.nat({ max: BLOCKS - 1 }), fc.integer({ min: 1, max: 25 })),
      { minLength: 1, maxLength: 12 },
    )
    const perBlock = fc.array(fc.nat({ max: 4 }), { minLength: BLOCKS, maxLength: BLOCKS })
    fc.assert(
      fc.property(perBlock, windows, fc.boolean(), (counts, list, drop) => {
        const { addresses, columnsOf } = chainOf(counts)
        const buffer = createRowBuffer(addresses)
        const given: { view: TransferColumns; rows: unknown }[] = []
        for (const [a, b, part] of list) {
          const range = { from: Math.min(a, b), to: Math.max(a, b) }
          const slices: Slice[] = []
          for (let from = range.from; from <= range.to; from += part) {
            const piece = { from, to: Math.min(range.to, from + part - 1) }
            slices.push(sliceRange(columnsOf(piece), piece))
          }
          const view = buffer.view(range, slices)
          const rows = rowsOf(joinSlices(slices, addresses))
          expect(rowsOf(view)).toEqual(rows)
          given.push({ view, rows })
          if (drop) buffer.drop()
        }
        // Views that were returned before stay valid.
        for (const { view, rows } of given) expect(rowsOf(view)).toEqual(rows)
      }),
      { numRuns: fuzzRuns(0.5) },
    )
  })
})
