import { parseUnits } from '@touchstone402/shared'
import { addressAt, txHashAt, valueAt } from '../columns/columns.ts'
import type { Address, TransferColumns } from '../types.ts'
import { findBurnOrdinals, findZero } from './activity.ts'
import {
  type AddressInfo,
  type Amount,
  type AnswerContext,
  describeAmount,
  frameAnswer,
  percentOf,
  type TokenAnswer,
  toAddressInfo,
  toAmount,
} from './answer.ts'
import { createRanks, type Ranks } from './ranks.ts'
import { createSums } from './sums.ts'

/** Most rows of an answer. */
export const WHALE_ROWS = 100

type Threshold = Amount & { readonly rule: 'given' | 'p99' | 'tenth-largest'; readonly statement: string }

export type WhaleRow = {
  readonly txHash: string
  readonly logIndex: number
  readonly block: number
  readonly time: string
  readonly from: AddressInfo
  readonly to: AddressInfo
  readonly raw: string
  readonly amount: string | null
  readonly shareOfVolumePct: number
}

/** Large transfers, largest first. */
export type Whales = TokenAnswer & {
  readonly threshold: Threshold
  /** Transfers at or above the threshold, and their volume; `rows` holds the largest of them. */
  readonly matched: number
  readonly matchedVolume: Amount
  readonly limit: number
  readonly count: number
  readonly truncated: boolean
  readonly rows: readonly WhaleRow[]
  /** Sums over `rows`. Contracts are those known by label or by code. */
  readonly totals: {
    readonly intoContracts: Amount
    readonly outOfContracts: Amount
    readonly mint: Amount
    readonly burn: Amount
  }
}

/** The large transfers of a window, before their addresses are looked up. */
export type WhaleSelection = {
  readonly rows: readonly number[]
  readonly matched: number
  readonly matchedVolume: bigint
  readonly threshold: bigint
  readonly rule: Threshold['rule']
  readonly volume: bigint
  /** Addresses of the rows, and blocks whose times the answer shows. */
  readonly addresses: readonly Address[]
  readonly blocks: readonly number[]
}

const MANY = 1000
const STATEMENTS: Record<Threshold['rule'], string> = {
  given: 'As asked for.',
  p99: 'The 99th percentile (nearest rank) of all transfers in the window, from 1,000 transfers on.',
  'tenth-largest': 'The tenth largest transfer in the window, below 1,000 transfers.',
}

const derive = (ranks: Ranks): { threshold: bigint; rule: Threshold['rule'] } => {
  const rule = ranks.count >= MANY ? 'p99' : 'tenth-largest'
  const value =
    rule === 'p99' ? ranks.percentile(0.99) : ranks.largest(Math.min(9, Math.max(0, ranks.count - 1)))
  // Transfers of nothing are never large.
  return { threshold: value === 0n ? 1n : value, rule }
}

/**
 * Finds the large transfers.
 *
 * `min` is in token units with full precision; in the smallest unit where the decimals are not known.
 * @throws MoneyError when it has more decimals than the token
 */
export const selectWhales = (
  columns: TransferColumns,
  decimals: number | null,
  min: string | undefined,
): WhaleSelection => {
  const ranks = createRanks(columns)
  const { threshold, rule } =
    min === undefined ? derive(ranks) : { threshold: parseUnits(min, decimals ?? 0), rule: 'given' as const }
  const found = ranks.rowsFrom(threshold)
  const rows = found.slice(0, WHALE_ROWS)
  const VOLUME = 0
  const MATCHED = 1
  const sums = createSums(columns, 2)
  for (let row = 0; row < columns.count; row++) sums.add(VOLUME, row)
  for (const row of found) sums.add(MATCHED, row)
  const ordinals = new Set(rows.flatMap((row) => [columns.from[row] ?? 0, columns.to[row] ?? 0]))
  return {
    rows,
    matched: found.length,
    matchedVolume: sums.at(MATCHED),
    threshold,
    rule,
    volume: sums.at(VOLUME),
    addresses: [...ordinals].map((ordinal) => addressAt(columns, ordinal)),
    blocks: [...new Set(rows.map((row) => columns.block[row] ?? 0))],
  }
}

/** Makes the answer. `timeOf` gives a block's timestamp in seconds. */
export const describeWhales = (
  columns: TransferColumns,
  selection: WhaleSelection,
  context: AnswerContext,
  timeOf: (block: number) => number,
): Whales => {
  const { rows, threshold, rule, matched, volume } = selection
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const totals = { intoContracts: 0n, outOfContracts: 0n, mint: 0n, burn: 0n }
  const shown = rows.map((row): WhaleRow => {
    const value = valueAt(columns, row)
    const block = columns.block[row] ?? 0
    const from = toAddressInfo(context, addressAt(columns, columns.from[row] ?? 0), 'from')
    const to = toAddressInfo(context, addressAt(columns, columns.to[row] ?? 0), 'to')
    if (columns.from[row] === zero) totals.mint += value
    else if (burnt.has(columns.to[row] ?? -1)) totals.burn += value
    if (holdsCode(from)) totals.outOfContracts += value
    if (holdsCode(to)) totals.intoContracts += value
    return {
      txHash: txHashAt(columns, columns.tx[row] ?? 0),
      logIndex: columns.logIndex[row] ?? 0,
      block,
      time: new Date(timeOf(block) * 1000).toISOString(),
      from,
      to,
      ...toAmount(context, value),
      shareOfVolumePct: percentOf(value, volume),
    }
  })
  const amount = (raw: bigint) => toAmount(context, raw)
  const summary =
    matched === 0
      ? `No transfer of ${describeAmount(context, threshold)} or more in the last ${context.window.name}.`
      : `${matched} transfers of ${describeAmount(context, threshold)} or more in the last ${context.window.name}, the largest of ${describeAmount(context, valueAt(columns, rows[0] ?? 0))}.`
  return {
    ...frameAnswer(context, summary, []),
    threshold: { ...amount(threshold), rule, statement: STATEMENTS[rule] },
    matched,
    matchedVolume: amount(selection.matchedVolume),
    limit: WHALE_ROWS,
    count: shown.length,
    truncated: matched > shown.length,
    rows: shown,
    totals: {
      intoContracts: amount(totals.intoContracts),
      outOfContracts: amount(totals.outOfContracts),
      mint: amount(totals.mint),
      burn: amount(totals.burn),
    },
  }
}

const holdsCode = ({ kind }: AddressInfo): boolean =>
  kind === 'contract' || kind === 'pool' || kind === 'router' || kind === 'bridge'
