import { explorerUrl, MoneyError, parseUnits, type TokenAddress, type Whales } from '@touchstone402/shared'
import { addressAt, findBurnOrdinals, findZero, logIndexAt, txHashAt, valueAt } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'
import {
  type AnswerContext,
  describeAmount,
  describeCount,
  frameAnswer,
  percentOf,
  toAddressInfo,
  toAmount,
} from './answer.ts'
import { createRanks, type Ranks } from './ranks.ts'
import { createSums, sumAll } from './sums.ts'

/** Maximum rows of an answer. */
export const WHALE_ROWS = 100

type Rule = Whales['threshold']['rule']

const P99_MIN_TRANSFERS = 1000
/** Value of the largest transfer that a token can log. */
const MAX_VALUE = 2n ** 256n - 1n
const STATEMENTS: Record<Rule, string> = {
  given: 'As requested.',
  p99: 'The 99th percentile (nearest rank) of all transfers in a window of 1,000 transfers or more.',
  'tenth-largest': 'The tenth largest transfer in a window of fewer than 1,000 transfers.',
}

function deriveThreshold(ranks: Ranks): { threshold: bigint; rule: Rule } {
  const rule = ranks.count >= P99_MIN_TRANSFERS ? 'p99' : 'tenth-largest'
  const value =
    rule === 'p99' ? ranks.percentile(0.99) : ranks.largest(Math.min(9, Math.max(0, ranks.count - 1)))
  // A transfer of zero is never large.
  return { threshold: value === 0n ? 1n : value, rule }
}

function parseMin(min: string, decimals: number): bigint {
  const threshold = parseUnits(min, decimals)
  if (threshold > MAX_VALUE) throw new MoneyError('expected an amount that a transfer of this token can have')
  return threshold
}

/**
 * Selects the large transfers of a window, before their addresses are looked up.
 *
 * @param limit maximum number of rows
 * @param min threshold in token units, or in the smallest unit if the decimals are not known
 * @throws MoneyError if `min` has more decimals than the token, or is more than a transfer can have
 */
export function selectWhales(
  columns: TransferColumns,
  decimals: number | null,
  min: string | undefined,
  limit = WHALE_ROWS,
) {
  const ranks = createRanks(columns)
  const { threshold, rule } =
    min === undefined
      ? deriveThreshold(ranks)
      : { threshold: parseMin(min, decimals ?? 0), rule: 'given' as const }
  const found = ranks.rowsFrom(threshold)
  const rows = found.slice(0, limit)
  const matchedVolume = createSums(columns, 1)
  for (const row of found) matchedVolume.add(0, row)
  const ordinals = new Set(rows.flatMap((row) => [columns.from[row] ?? 0, columns.to[row] ?? 0]))
  return {
    rows,
    limit,
    matched: found.length,
    matchedVolume: matchedVolume.at(0),
    threshold,
    rule,
    volume: sumAll(columns),
    /** Addresses to look up. */
    addresses: [...ordinals].map((ordinal) => addressAt(columns, ordinal)),
    /** Blocks to date. */
    blocks: [...new Set(rows.map((row) => columns.block[row] ?? 0))],
  }
}

/** Builds the answer of `/whales`. `timeOf` returns the timestamp of a block in seconds. */
export function describeWhales(
  columns: TransferColumns,
  selection: ReturnType<typeof selectWhales>,
  context: AnswerContext,
  timeOf: (block: number) => number,
): Whales {
  const { rows, threshold, rule, matched, volume } = selection
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const totals = { intoContracts: 0n, outOfContracts: 0n, mint: 0n, burn: 0n }
  const shown = rows.map((row): Whales['rows'][number] => {
    const value = valueAt(columns, row)
    const block = columns.block[row] ?? 0
    const from = toAddressInfo(context, addressAt(columns, columns.from[row] ?? 0), 'from')
    const to = toAddressInfo(context, addressAt(columns, columns.to[row] ?? 0), 'to')
    if (columns.from[row] === zero) totals.mint += value
    else if (burnt.has(columns.to[row] ?? -1)) totals.burn += value
    if (holdsCode(from)) totals.outOfContracts += value
    if (holdsCode(to)) totals.intoContracts += value
    const txHash = txHashAt(columns, columns.tx[row] ?? 0)
    return {
      txHash,
      explorerUrl: explorerUrl(context.network, 'tx', txHash),
      logIndex: logIndexAt(columns, row),
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
      ? `No transfer of ${describeAmount(context, threshold)} or more ${context.when}.`
      : `${describeCount(matched, 'transfer')} of ${describeAmount(context, threshold)} or more ${context.when}, the largest of ${describeAmount(context, valueAt(columns, rows[0] ?? 0))}.`
  return {
    ...frameAnswer(context, summary, []),
    threshold: { ...amount(threshold), rule, statement: STATEMENTS[rule] },
    matched,
    matchedVolume: amount(selection.matchedVolume),
    limit: selection.limit,
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

const holdsCode = ({ kind }: TokenAddress): boolean =>
  kind === 'contract' || kind === 'pool' || kind === 'router' || kind === 'bridge'
