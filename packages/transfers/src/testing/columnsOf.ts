import type { TransferColumns } from '../types.ts'

/** A transfer. A row without `tx` is a separate transaction. */
export type Row = {
  readonly block: number
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly tx?: number
}

const LOW_MASK = 2n ** 48n - 1n

/** Builds columns from rows, without the decoders. */
export function columnsOf(rows: readonly Row[]): TransferColumns {
  const ordinals = new Map<string, number>()
  const ordinal = (address: string) => {
    const known = ordinals.get(address)
    if (known !== undefined) return known
    ordinals.set(address, ordinals.size)
    return ordinals.size - 1
  }
  const u32 = (pick: (row: Row, index: number) => number) => Uint32Array.from(rows, pick)
  const isWide = (row: Row) => row.value >= 2n ** 96n
  const f64 = (pick: (value: bigint) => bigint) =>
    Float64Array.from(rows, (row) => (isWide(row) ? 0 : Number(pick(row.value))))
  const txs: number[] = []
  let txCount = 0
  rows.forEach((row, i) => {
    const same = i > 0 && row.tx !== undefined && rows[i - 1]?.tx === row.tx
    if (!same) txCount++
    txs.push(txCount - 1)
  })
  const from = u32((row) => ordinal(row.from))
  const to = u32((row) => ordinal(row.to))
  const wordsOf = (hex: string) =>
    Array.from({ length: hex.length / 8 }, (_, i) => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16))
  return {
    count: rows.length,
    block: u32((row) => row.block),
    logIndex: u32((_, i) => i),
    tx: Uint32Array.from(txs),
    from,
    to,
    valueLow: f64((value) => value & LOW_MASK),
    valueHigh: f64((value) => value >> 48n),
    wideValues: new Map(rows.flatMap((row, i) => (isWide(row) ? [[i, row.value] as const] : []))),
    addressWords: Uint32Array.from([...ordinals.keys()].flatMap((address) => wordsOf(address.slice(2)))),
    addressCount: ordinals.size,
    txWords: Uint32Array.from({ length: txCount * 8 }, (_, i) => (i % 8 === 7 ? Math.floor(i / 8) + 1 : 0)),
    txCount,
  }
}
