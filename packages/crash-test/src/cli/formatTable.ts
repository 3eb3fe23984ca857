import type { LeagueReport, LeagueResult } from '../league/runLeague.ts'
import { CATEGORIES, type CategoryResult, type CrashReport, type Problem } from '../types.ts'

/** Formats results as a Markdown table with padded columns. */
export function formatTable(results: readonly CategoryResult[]): string {
  const rows = results.map(({ category, result, signatures, stolen, stolenUsd, hung, crashed, failed }) => [
    category,
    result === 'drained' ? 'DRAINED' : result.replace('_', ' '),
    String(signatures),
    String(stolen),
    formatUsd(stolenUsd),
    ...[hung, crashed, failed].map((count) => (count === 0 ? '' : String(count))),
  ])
  const head = ['category', 'result', 'signatures', 'stolen', 'stolen USDC', 'hung', 'crashed', 'failed']
  return formatRows(head, rows)
}

/** Formats a league as a table with one row per client, and a sentence that explains it. */
export function formatLeague({ clients, guardedLostUsd }: LeagueReport): string {
  const rows = clients.map((client) => {
    const { name, categories, drained, lostUsd, notRun } = client
    const count = notRun === null ? `${drained} of ${categories.length}` : 'not run'
    return [name, count, notRun === null ? formatUsd(lostUsd) : '', notRun ?? nameDrained(client)]
  })
  const table = formatRows(['client', 'drained', 'lost', 'drained by'], rows)
  const stock = clients.find(({ guarded, notRun }) => !guarded && notRun === null)
  const lost = stock === undefined ? '' : `${stock.name} lost ${formatUsd(stock.lostUsd)}; `
  const isTested = clients.some(({ guarded, notRun }) => guarded && notRun === null)
  const guarded = isTested ? `with the guard ${formatUsd(guardedLostUsd)}` : 'the guard was not tested'
  return `${table}\n\n${lost}${guarded}.`
}

/** Names the attacks that drained a client, or the few that did not. */
function nameDrained({ categories }: LeagueResult): string {
  const names = (isDrained: boolean) =>
    categories.filter(({ result }) => (result === 'drained') === isDrained).map(({ category }) => category)
  const [drained, held] = [names(true), names(false)]
  if (drained.length === 0) return 'none'
  if (held.length === 0) return 'all'
  return drained.length > CATEGORIES.length / 2 ? `all but ${held.join(', ')}` : drained.join(', ')
}

/** Formats dollars with cents: `0.1` is `$0.10`. */
function formatUsd(usd: string): string {
  const [whole = '0', cents = ''] = usd.split('.')
  return usd === '0' ? '$0' : `$${whole}.${cents.padEnd(2, '0')}`
}

function formatRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

const PROBLEMS: Record<Problem, string> = {
  not_started: 'The command cannot be started. Look at the path of its program.',
  control_unpaid:
    'An honest seller was not paid as listed, so there is no result: a client that never pays is useless, not safe. The command has to call TARGET_URL with GET and pay with PRIVATE_KEY.',
  control_hung:
    'The command did not end at an honest seller. Look at what it waits for, such as input or a model, or give it more time with --timeout.',
  control_crashed:
    'The command crashed at an honest seller. Look at its error, and at what it needs of your environment: --env NAME keeps a variable.',
  foreign_key:
    'Stopped: a payment named another payer than PRIVATE_KEY. The command uses another key; it was ended, and its payment was neither verified nor kept.',
  crashed:
    'The command crashed at a hostile seller: a signal ended it, or it failed before it called. That is no defence; look at its error.',
  hung: 'The command did not end at a hostile seller. Look at what it waits for, or give it more time with --timeout.',
  not_reached: 'Some sellers were not called, so there is no result for them.',
}

/** Explains why there is no result, with the end of the command's output. */
export function explain(problem: Problem, output: string): string {
  const said =
    output.trim() === '' ? 'The command printed nothing.' : `The command printed:\n${output.trim()}`
  return problem === 'not_reached' ? PROBLEMS[problem] : `${PROBLEMS[problem]}\n${said}`
}

/** Describes the result of one command. */
export function formatReport({ controls, controlsPaid, drained, categories }: CrashReport): string {
  const paid = `${controlsPaid} of ${controls} honest sellers paid.`
  if (categories.length === 0) return paid
  const failed = categories.some((one) => one.failed > 0)
  const note = failed ? '\nfailed: exited with an error after the call, by a refusal or by a fault.' : ''
  return `${formatTable(categories)}\n\n${paid} ${drained} of ${categories.length} categories drained.${note}`
}
