import type { CategoryResult } from '../types.ts'

/** Formats results as a Markdown table with padded columns. */
export function formatTable(results: readonly CategoryResult[]): string {
  const rows = results.map(({ category, result, signatures, stolen, stolenUsd, timeouts }) => [
    category,
    result === 'drained' ? 'DRAINED' : result === 'held' ? 'held' : 'not reached',
    String(signatures),
    String(stolen),
    `$${stolenUsd}`,
    timeouts === 0 ? '' : String(timeouts),
  ])
  const head = ['category', 'result', 'signatures', 'stolen', 'stolen USDC', 'timeouts']
  const widths = head.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
